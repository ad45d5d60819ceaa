-- ARGV[3]: id. ARGV[4]: amount. ARGV[5]: milliseconds. Then the scopes.
local id, amount = ARGV[3], tonumber(ARGV[4])
local known = read(id)
if known then
  if known[1] == 'o' then return {'done', now} end
  return {'ended', known[3]}
end
local settling = unsettled()
if settling then return settling end
local scopes = scopes_of(6)
local refused = refusal(scopes, amount, amount)
if refused then return refused end
take(id, scopes, amount, tonumber(ARGV[5]))
return {'done', now}
