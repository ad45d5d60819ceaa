-- ARGV[3]: id. ARGV[4]: key. ARGV[5]: the revision that was read. ARGV[6]: value. ARGV[7]: milliseconds, or nothing.
local value, revision, by = read_value(ARGV[4])
revision = revision or 0
if value and by == ARGV[3] then return {'written', revision} end
if revision ~= tonumber(ARGV[5]) then return {'conflict', revision} end
return write_value(ARGV[4], ARGV[6], tonumber(ARGV[7]), ARGV[3])
