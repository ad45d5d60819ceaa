-- Writes a set that was changed. It matters until a day after the time of its last member is up.
local function write_set(key, set)
  local last = now
  for place = 2, #set do
    local ends = set[place][5]
    if ends < 0 then last = nil break end
    last = math.max(last, ends)
  end
  set[1] = now
  revise('set:' .. key)
  keep(P .. 'set:' .. key, cmsgpack.pack(set), last and last - now + DAY)
end
