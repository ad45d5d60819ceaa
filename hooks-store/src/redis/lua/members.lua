-- ARGV[3]: set.
local found, set = {'members', now}, read_set(ARGV[3])
for place = 2, #set do
  if not is_forgotten(set[place]) then
    local size = #found
    found[size + 1], found[size + 2], found[size + 3], found[size + 4], found[size + 5] = told(set[place])
  end
end
return found
