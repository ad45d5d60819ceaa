-- ARGV[3]: id. ARGV[4]: to. ARGV[5]: milliseconds.
local id, to = ARGV[3], tonumber(ARGV[4])
local it = read(id)
if not it or it[1] == 'e' then return {'unknown'} end
-- What had expired was charged, but a place had come back.
local taken_back, amount, scopes = it[1] == 'x', it[3], it[4]
to = math.max(to, amount)
local more = to - amount
local places = taken_back and to or more
local settling = more > 0 and unsettled()
if settling then return settling end
local refused = refusal(scopes, more, places)
if refused then return refused end
charge(scopes, function(counter, kind)
  if taken_back and kind == 's' then
    unspend(counter, amount)
    hold(counter, to)
  else
    hold(counter, kind == 'p' and places or more)
  end
end)
it[3] = math.min(to, MAX)
open(id, it, tonumber(ARGV[5]))
return {'done', now}
