-- Says which store this is. Its epoch begins anew when it is empty and when its server is another process than before:
-- then it may have forgotten the last that was written.
--
-- ARGV[1]: the server's id. ARGV[2]: the name of the epoch, should one begin. ARGV[3]: the latest revision that the
-- client saw, if the store is empty: revisions do not begin anew.
local META = KEYS[1] .. 'meta'
local meta = redis.call('HMGET', META, 'epoch', 'server', 'origin')
if not meta[1] then
  redis.call('HSET', META, 'epoch', ARGV[2], 'server', ARGV[1], 'origin', ARGV[2], 'now', 0, 'revision', ARGV[3])
  return {ARGV[2], ARGV[2]}
end
if meta[2] ~= ARGV[1] then
  redis.call('HSET', META, 'epoch', ARGV[2], 'server', ARGV[1])
  return {ARGV[2], meta[3]}
end
return {meta[1], meta[3]}
