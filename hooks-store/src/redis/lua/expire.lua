-- Takes for lost the holders whose time is up, so many at once that nobody waits long. How many are left is not
-- known: it is asked again while something is due.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', EXPIRING, '-inf', now, 'LIMIT', 0, 500)) do
  redis.call('ZREM', EXPIRING, id)
  local it = read(id)
  if it and it[1] == 'o' then
    local amount = it[3]
    charge(it[4], function(counter, kind)
      unhold(counter, amount)
      if kind == 's' then spend(counter, amount) end
    end)
    it[1], it[2] = 'x', now
    write(id, it)
  end
end
local first = redis.call('ZRANGE', EXPIRING, 0, 0, 'WITHSCORES')
if first[2] then
  redis.call('HSET', META, 'next', first[2])
else
  redis.call('HDEL', META, 'next')
end
return {'done', now}
