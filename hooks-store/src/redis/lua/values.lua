-- Values: text, revision, the id of the write where it had one, when it expires (or -1).
local function read_value(key)
  local text = redis.call('GET', P .. 'value:' .. key)
  if not text then return nil end
  local value, revision, by, expires = cmsgpack.unpack(text)
  if expires >= 0 and expires <= now then return nil end
  return value, revision, by
end
