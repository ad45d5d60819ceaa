-- Says which store this is. Its epoch begins anew when it is empty and when its server is another process than before:
-- then it may have forgotten the last that was written.
--
-- ARGV[1]: the server's id. ARGV[2]: the name of the epoch, should one begin. ARGV[3]: the latest revision that the
-- client saw, if the store is empty: revisions do not begin anew. ARGV[4]: the origin of the store that the client knows,
-- if it knows one. ARGV[5]: for how many milliseconds nothing is granted where that was another one. ARGV[6]: the version
-- of what is written here. ARGV[7]: the origin that a witness apart from the store remembers, if it does. A store that is
-- not that one, and does not stand in for it, is left as it is.
local META = KEYS[1] .. 'meta'
local meta = redis.call('HMGET', META, 'epoch', 'server', 'origin', 'now', 'settled', 'version')
if not meta[1] and ARGV[7] ~= '' then return {'gone', ''} end
if not meta[1] then
  redis.call('HSET', META, 'epoch', ARGV[2], 'server', ARGV[1], 'origin', ARGV[2], 'now', 0, 'revision', ARGV[3],
    'version', ARGV[6])
  meta = {ARGV[2], ARGV[1], ARGV[2], 0, false, ARGV[6]}
end
-- The first version did not say so.
if (meta[6] or '1') ~= ARGV[6] then return {'version', meta[6]} end
if ARGV[7] ~= '' and ARGV[7] ~= meta[3] and redis.call('HEXISTS', META, 'before:' .. ARGV[7]) == 0 then
  return {'other', meta[3]}
end
-- The store was emptied. Once: who comes later finds it settled, or waits with the others.
if ARGV[4] ~= '' and ARGV[4] ~= meta[3] and not meta[5] then
  local time = redis.call('TIME')
  local now = math.max(tonumber(meta[4]), time[1] * 1000 + math.floor(time[2] / 1000))
  redis.call('HSET', META, 'settled', now + ARGV[5])
end
if meta[2] ~= ARGV[1] then
  redis.call('HSET', META, 'epoch', ARGV[2], 'server', ARGV[1])
  return {ARGV[2], meta[3]}
end
return {meta[1], meta[3]}
