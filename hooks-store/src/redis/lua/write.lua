local function write_value(key, value, ttl, by)
  local revision = revise('value:' .. key)
  local expires = ttl and after(ttl) or -1
  keep(P .. 'value:' .. key, cmsgpack.pack(value, revision, by, expires), ttl)
  return {'written', revision}
end
