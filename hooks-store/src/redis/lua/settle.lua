-- ARGV[3]: id. ARGV[4]: what was used. The first end counts; another one changes nothing, and is told what counted.
local it, actual = read(ARGV[3]), tonumber(ARGV[4])
if not it then return {'unknown'} end
if it[1] == 'e' and it[3] ~= actual then return {'ended', it[3]} end
if it[1] ~= 'e' then settle(ARGV[3], it, actual) end
return {'done', now}
