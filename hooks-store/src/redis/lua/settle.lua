-- ARGV[3]: id. ARGV[4]: what was used. The first end counts; what comes again changes nothing.
local it = read(ARGV[3])
if not it then return {'unknown'} end
if it[1] ~= 'e' then settle(ARGV[3], it, tonumber(ARGV[4])) end
return {'done', now}
