-- The counters at or below ARGV[3] that something is charged to in their present window.
local found, key = {'counters'}, ARGV[3]
local function look(from, to)
  for _, member in ipairs(redis.call('ZRANGEBYLEX', ALL, from, to)) do
    local of, window, number = string.match(member, '^(.*)%z([^%z:]*):(%d*)$')
    number = tonumber(number)
    if number == number_of(window) then
      local it = counter(window, number, of)
      if used(it) > 0 then
        local size = #found
        found[size + 1], found[size + 2], found[size + 3], found[size + 4] = of, window, used(it), it.held
      end
    end
  end
end
look('[' .. key .. '\0', '(' .. key .. '\1')
look('[' .. key .. '/', '(' .. key .. '0')
return found
