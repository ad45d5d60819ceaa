-- What values and sets at or below ARGV[3] were written after the revision ARGV[4].
local found, below = {'changes', tonumber(redis.call('HGET', META, 'revision') or 0)}, ARGV[3]
for _, name in ipairs(redis.call('ZRANGEBYSCORE', CHANGED, '(' .. ARGV[4], '+inf')) do
  local kind, key = string.match(name, '^(%a+):(.*)$')
  local rest = string.sub(key, #below + 1)
  if string.sub(key, 1, #below) == below and (rest == '' or string.sub(rest, 1, 1) == '/') then
    if kind == 'value' and read_value(key) or kind == 'set' and not is_gone(read_set(key)) then
      found[#found + 1] = key
    end
  end
end
return found
