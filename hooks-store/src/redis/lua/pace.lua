-- The generic cell rate algorithm, in microseconds. ARGV[3]: key. ARGV[4]: what is added. ARGV[5]: how far ahead of now.
local name, last = P .. 'rate:' .. ARGV[3], 2 ^ 52
local micros = math.min(now * 1000, last)
local full = math.max(tonumber(redis.call('GET', name) or 0), micros)
local wanted = full + tonumber(ARGV[4])
local wait = wanted - tonumber(ARGV[5]) - micros
if wait > 0 then return {'wait', wait} end
wanted = math.min(wanted, last)
keep(name, string.format('%.0f', wanted), math.ceil((wanted - micros) / 1000))
return {'done'}
