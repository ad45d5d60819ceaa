-- An operator accepted that a store is lost: this one stands in for it. Who remembers the lost one may go on here.
--
-- KEYS[1]: what all names begin with. ARGV[1]: the identity of the lost store.
redis.call('HSET', KEYS[1] .. 'meta', 'before:' .. ARGV[1], 1)
return 1
