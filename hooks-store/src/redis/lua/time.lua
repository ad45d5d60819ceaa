-- What every script begins with: whether this is still the store that the client knows, and the store's time, which
-- never goes back. Numbers are doubles, exact to 2^53, and divisions of what is below that round down exactly.
--
-- KEYS[1]: what all names begin with. ARGV[1]: the epoch the client knows. ARGV[2]: the time, where a test gives it.
local P, LAST, DAY, HOUR = KEYS[1], 9007199254740991, 86400000, 3600000
local META = P .. 'meta'
local meta = redis.call('HMGET', META, 'epoch', 'now', 'next', 'settled')
if meta[1] ~= ARGV[1] then return {'epoch'} end
local wall = tonumber(ARGV[2])
if not wall then
  local time = redis.call('TIME')
  wall = time[1] * 1000 + math.floor(time[2] / 1000)
end
local now = tonumber(meta[2])
if wall > now then
  now = wall
  redis.call('HSET', META, 'now', now)
end

-- When what lasts for a while from now is over.
local function after(ttl) return math.min(now + ttl, LAST) end

-- Writes what nobody asks for any more `lifetime` from now: the server may drop it then, by its own clock, which may
-- be behind the time that never goes back.
local function keep(name, text, lifetime)
  local left = lifetime and lifetime + HOUR + now - wall
  -- Beyond a few hundred years the server refuses it.
  if left and left < 2 ^ 43 then
    redis.call('SET', name, text, 'PX', left)
  else
    redis.call('SET', name, text)
  end
end
