-- Brings back what the server forgot of a reservation whose answers this client has: it is charged whatever the limits
-- say, since it was granted. What the server still has is ended where it had ended, and extended where it was.
--
-- ARGV[3]: id. ARGV[4]: the phase, `o` or `e`. ARGV[5]: amount. ARGV[6]: when it expires. Then the scopes, five values
-- each, where they are known.
local id, is_open, amount, expires = ARGV[3], ARGV[4] == 'o', tonumber(ARGV[5]), tonumber(ARGV[6])
local it = read(id)
if it and not is_open then
  if it[1] ~= 'e' then settle(id, it, amount) end
elseif it then
  -- One that is lost by now stays lost.
  local is_extended = it[1] == 'o' and (amount > it[3] or expires > it[2]) or it[1] == 'x' and expires > now
  if is_extended then
    local was_open, before = it[1] == 'o', it[3]
    amount = math.max(amount, before)
    charge(it[4], function(counter, kind)
      if not was_open and kind == 's' then unspend(counter, before) end
      hold(counter, was_open and amount - before or amount)
    end)
    if was_open then expires = math.max(expires, it[2]) end
    it[3] = amount
    open(id, it, expires - now)
  end
elseif #ARGV > 6 then
  local scopes = {}
  for at = 7, #ARGV do scopes[#scopes + 1] = ARGV[at] end
  for at = 4, #scopes, 5 do scopes[at] = tonumber(scopes[at]) end
  charge(scopes, function(counter, kind)
    if is_open then
      hold(counter, amount)
    elseif kind == 's' then
      spend(counter, amount)
    end
  end)
  if is_open then
    open(id, {'o', 0, amount, scopes}, math.max(expires - now, 0))
  else
    write(id, {'e', now, amount})
  end
end
return {'done', now}
