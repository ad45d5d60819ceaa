-- Reservations: `{phase, when, amount, scopes}`. The phase is `o` (open, expires then), `x` (expired then) or `e`
-- (ended then, without its scopes); a scope is five values: kind (`s` spent, `p` places), limit, window, number, key.
local EXPIRING = P .. 'expiring'

local function read(id)
  local text = redis.call('GET', P .. 'hold:' .. id)
  if not text then return nil end
  local it = cmsgpack.unpack(text)
  -- What is over is remembered for a day.
  if it[1] ~= 'o' and it[2] + DAY <= now then return nil end
  return it
end

local function write(id, it)
  keep(P .. 'hold:' .. id, cmsgpack.pack(it), it[1] ~= 'o' and DAY or nil)
end

local function open(id, it, ttl)
  it[1], it[2] = 'o', after(ttl)
  redis.call('ZADD', EXPIRING, it[2], id)
  local next = tonumber(meta[3])
  if not next or it[2] < next then redis.call('HSET', META, 'next', it[2]) end
  write(id, it)
end

-- The scopes from ARGV[at] on, in the windows of now: four values each.
local function scopes_of(at)
  local scopes = {}
  for place = at, #ARGV, 4 do
    local size, window = #scopes, ARGV[place + 2]
    scopes[size + 1], scopes[size + 2], scopes[size + 3] = ARGV[place], ARGV[place + 1], window
    scopes[size + 4], scopes[size + 5] = number_of(window), ARGV[place + 3]
  end
  return scopes
end

-- Why what each scope needs does not fit. What asks for nothing more is never refused.
local function refusal(scopes, spent, places)
  local before = {}
  for at = 1, #scopes, 5 do
    local it = counter(scopes[at + 2], scopes[at + 3], scopes[at + 4])
    local more = scopes[at] == 'p' and places or spent
    local sum = (before[it.name] or 0) + more
    if more > 0 and used(it) + sum > math.min(tonumber(scopes[at + 1]), MAX) then
      return {'refused', (at - 1) / 5, used(it), scopes[at + 1]}
    end
    before[it.name] = sum
  end
  return nil
end

-- Changes the counter of each scope, and writes it.
local function charge(scopes, with)
  for at = 1, #scopes, 5 do
    with(counter(scopes[at + 2], scopes[at + 3], scopes[at + 4]), scopes[at])
  end
  save()
end

-- A store that was emptied grants nothing until everybody who knows of what is held had the time to tell it.
local function unsettled()
  local left = (tonumber(meta[4]) or 0) - now
  if left > 0 then return {'settling', left} end
  return nil
end

-- What a reservation takes when it begins; of no scope at all, anything could be asked.
local function take(id, scopes, amount, ttl)
  charge(scopes, function(it) hold(it, amount) end)
  open(id, {'o', 0, math.min(amount, MAX), scopes}, ttl)
end

-- Ends an open or expired reservation with what was used.
local function settle(id, it, actual)
  local was_open, amount = it[1] == 'o', it[3]
  if was_open then redis.call('ZREM', EXPIRING, id) end
  charge(it[4], function(counter, kind)
    if was_open then
      unhold(counter, amount)
    elseif kind == 's' then
      unspend(counter, amount)
    end
    if kind == 's' then spend(counter, actual) end
    counter.changed = true
  end)
  write(id, {'e', now, actual})
end
