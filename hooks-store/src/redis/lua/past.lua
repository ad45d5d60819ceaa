-- The ids of corrections and removed entries, remembered for a day.
local function is_known(id)
  local when = redis.call('GET', P .. 'id:' .. id)
  return when and tonumber(when) + DAY > now
end

local function remember(id) keep(P .. 'id:' .. id, now, DAY) end
