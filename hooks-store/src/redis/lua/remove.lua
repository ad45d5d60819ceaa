-- ARGV[3]: id. ARGV[4]: set.
if not is_known(ARGV[3]) then
  remember(ARGV[3])
  local set = read_set(ARGV[4])
  local place = place_of(set, ARGV[3])
  if place then
    table.remove(set, place)
    write_set(ARGV[4], set)
  end
end
return {'done'}
