-- ARGV[3]: id. ARGV[4], ARGV[5]: the least and the most. ARGV[6]: thousandths of what is left. ARGV[7]: milliseconds.
-- Then the scopes.
local id, least = ARGV[3], tonumber(ARGV[4])
local known = read(id)
if known then
  if known[1] == 'o' then return {'granted', known[3], now} end
  return {'ended', known[3]}
end
local settling = unsettled()
if settling then return settling end
local scopes = scopes_of(8)
local refused = refusal(scopes, least, least)
if refused then return refused end
-- A scope that is named twice has half as much for each.
local times = {}
for at = 1, #scopes, 5 do
  local name = counter(scopes[at + 2], scopes[at + 3], scopes[at + 4]).name
  times[name] = (times[name] or 0) + 1
end
local left = MAX
for at = 1, #scopes, 5 do
  local it = counter(scopes[at + 2], scopes[at + 3], scopes[at + 4])
  local of_it = math.max(math.min(tonumber(scopes[at + 1]), MAX) - used(it), 0)
  left = math.min(left, math.floor(of_it / times[it.name]))
end
-- In two steps, or else the product is not exact.
local thousandths = math.min(tonumber(ARGV[6]), 1000)
local share = math.floor(left / 1000) * thousandths + math.floor(left % 1000 * thousandths / 1000)
local granted = math.min(math.max(math.min(share, tonumber(ARGV[5])), least), left)
take(id, scopes, granted, tonumber(ARGV[7]))
return {'granted', granted, now}
