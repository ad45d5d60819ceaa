-- Brings back what the server forgot of a reservation whose answer this client has: it is charged whatever the limits
-- say, since it was granted. What the server still has is only ended, where it had ended.
--
-- ARGV[3]: id. ARGV[4]: the phase, `o` or `e`. ARGV[5]: amount. ARGV[6]: when it expires. Then the scopes, five values
-- each.
local id, amount = ARGV[3], tonumber(ARGV[5])
local it = read(id)
if it then
  if it[1] ~= 'e' and ARGV[4] == 'e' then settle(id, it, amount) end
  return {'done', now}
end
-- Without its scopes nothing is known but its end.
if #ARGV < 7 then return {'unknown'} end
local scopes = {}
for at = 7, #ARGV do scopes[#scopes + 1] = ARGV[at] end
for at = 4, #scopes, 5 do scopes[at] = tonumber(scopes[at]) end
charge(scopes, function(counter, kind)
  if ARGV[4] == 'o' then
    hold(counter, amount)
  elseif kind == 's' then
    spend(counter, amount)
  end
end)
if ARGV[4] == 'o' then
  open(id, {'o', 0, amount, scopes}, math.max(tonumber(ARGV[6]) - now, 0))
else
  write(id, {'e', now, amount})
end
return {'done', now}
