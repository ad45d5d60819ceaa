-- ARGV[3]: window. ARGV[4]: key.
local it = counter(ARGV[3], number_of(ARGV[3]), ARGV[4])
return {'used', used(it), it.held}
