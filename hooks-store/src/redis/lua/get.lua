-- ARGV[3]: key.
local value, revision = read_value(ARGV[3])
return value and {'value', value, revision} or {'value'}
