-- ARGV[3]: id. ARGV[4]: window. ARGV[5]: key. ARGV[6]: what was spent.
if not is_known(ARGV[3]) then
  remember(ARGV[3])
  local it = counter(ARGV[4], number_of(ARGV[4]), ARGV[5])
  it.spent, it.changed = math.min(tonumber(ARGV[6]), MAX), true
  save()
end
return {'done'}
