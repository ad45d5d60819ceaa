-- Counters: what is spent and held of one key in one window, by `window:number:key`. Windows are `a` (always),
-- `i<ms>` (idle), `e<ms>` (every), `m` (month); a rest after the dot keeps apart what differs by less than that.
local MAX, ALL = 9007199254740991, P .. 'counters'
local counters = {}

local function length_of(window) return tonumber(string.match(window, '^.(%d+)')) end

-- The number of a moment's month, counted from the first of the year 0; when the month of a number begins
-- (Hinnant, "chrono-compatible low-level date algorithms", as in `hooks_core::time`).
local function month_of(at)
  local days = math.floor(at / DAY) + 719468
  local of_era = days % 146097
  local year_of_era = math.floor(
    (of_era - math.floor(of_era / 1460) + math.floor(of_era / 36524) - math.floor(of_era / 146096)) / 365)
  local of_year = of_era - (365 * year_of_era + math.floor(year_of_era / 4) - math.floor(year_of_era / 100))
  local from_march = math.floor((5 * of_year + 2) / 153)
  local year = math.floor(days / 146097) * 400 + year_of_era
  if from_march < 10 then return year * 12 + from_march + 2 end
  return (year + 1) * 12 + from_march - 10
end

local function begin_of_month(number)
  local year, from_march = math.floor(number / 12), number % 12 - 2
  if from_march < 0 then year, from_march = year - 1, from_march + 12 end
  local of_era = year % 400
  local days = of_era * 365 + math.floor(of_era / 4) - math.floor(of_era / 100) + math.floor((153 * from_march + 2) / 5)
  return (math.floor(year / 400) * 146097 + days - 719468) * DAY
end

-- The number of the window that now is in.
local function number_of(window)
  local kind = string.sub(window, 1, 1)
  if kind == 'e' then return math.floor(now / math.max(length_of(window), 1)) end
  if kind == 'm' then return month_of(now) end
  return 0
end

-- Whether nobody will ask for a counter any more: it counts as nothing.
local function is_over(window, number, held, touched)
  if held > 0 then return false end
  local kind = string.sub(window, 1, 1)
  if kind == 'a' then return false end
  if kind == 'i' then return touched + length_of(window) <= now end
  local ends = kind == 'm' and begin_of_month(number + 1) or (number + 1) * math.max(length_of(window), 1)
  return math.max(ends, touched) + DAY <= now
end

local function counter(window, number, key)
  local name = window .. ':' .. string.format('%.0f', number) .. ':' .. key
  local it = counters[name]
  if it then return it end
  it = {name = name, window = window, number = number, key = key, spent = 0, held = 0}
  local text = redis.call('GET', P .. 'counter:' .. name)
  if text then
    local spent, held, touched = cmsgpack.unpack(text)
    it.is_there = true
    if not is_over(window, number, held, touched) then it.spent, it.held = spent, held end
  end
  counters[name] = it
  return it
end

local function used(it) return math.min(it.spent + it.held, MAX) end

local function hold(it, amount) it.held, it.changed = math.min(it.held + amount, MAX), true end

local function unhold(it, amount) it.held, it.changed = math.max(it.held - amount, 0), true end

local function spend(it, amount) it.spent, it.changed = math.min(it.spent + amount, MAX), true end

local function unspend(it, amount) it.spent, it.changed = math.max(it.spent - amount, 0), true end

-- How long a counter matters that nobody charges any more.
local function lifetime(it)
  if it.held > 0 then return nil end
  if it.spent == 0 then return 0 end
  local kind = string.sub(it.window, 1, 1)
  if kind == 'a' then return nil end
  if kind == 'i' then return length_of(it.window) end
  return DAY + (kind == 'm' and 31 * DAY or length_of(it.window))
end

-- Drops two names of the index whose counters are gone, if chance finds them: as many go as come.
local function tidy()
  for _, member in ipairs(redis.call('ZRANDMEMBER', ALL, 2)) do
    local key, name = string.match(member, '^(.*)%z([^%z]*)$')
    if redis.call('EXISTS', P .. 'counter:' .. name .. ':' .. key) == 0 then redis.call('ZREM', ALL, member) end
  end
end

-- Writes the counters that were changed.
local function save()
  for _, it in pairs(counters) do
    if it.changed then
      keep(P .. 'counter:' .. it.name, cmsgpack.pack(it.spent, it.held, now), lifetime(it))
      if not it.is_there then
        tidy()
        redis.call('ZADD', ALL, 0, it.key .. '\0' .. it.window .. ':' .. string.format('%.0f', it.number))
      end
      it.changed, it.is_there = false, true
    end
  end
end
