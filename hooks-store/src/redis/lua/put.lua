-- ARGV[3]: key. ARGV[4]: value. ARGV[5]: milliseconds, or nothing.
return write_value(ARGV[3], ARGV[4], tonumber(ARGV[5]), '')
