-- ARGV[3]: id. ARGV[4]: set. ARGV[5]: name. ARGV[6]: note. ARGV[7]: milliseconds, or nothing.
local id, key, name = ARGV[3], ARGV[4], ARGV[5]
if is_known(id) then return {'ended', 0} end
local set = read_set(key)
if place_of(set, id) then return {'done'} end
-- Whoever is over makes room: of this name, or of this id and forgotten.
local kept = {0}
for place = 2, #set do
  local member = set[place]
  if member[2] == name then
    if member[5] < 0 or member[5] > now then return {'present', told(member)} end
  elseif member[1] ~= id and not is_forgotten(member) then
    kept[#kept + 1] = member
  end
end
local ttl = tonumber(ARGV[7])
kept[#kept + 1] = {id, name, ARGV[6], now, ttl and after(ttl) or -1}
write_set(key, kept)
return {'done'}
