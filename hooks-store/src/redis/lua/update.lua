-- ARGV[3]: id. ARGV[4]: set. ARGV[5]: milliseconds, or nothing. ARGV[6]: note, where it changes.
local set = read_set(ARGV[4])
local place = place_of(set, ARGV[3])
if not place then return {'unknown'} end
local ttl = tonumber(ARGV[5])
set[place][5] = ttl and after(ttl) or -1
if ARGV[6] then set[place][3] = ARGV[6] end
write_set(ARGV[4], set)
return {'done'}
