-- Values and sets have revisions, one line of them for all; an index tells which are after one.
local CHANGED = P .. 'changed'

-- Drops two names of the index that are gone, if chance finds them: as many go as come.
local function tidy_changed()
  for _, member in ipairs(redis.call('ZRANDMEMBER', CHANGED, 2)) do
    if redis.call('EXISTS', P .. member) == 0 then redis.call('ZREM', CHANGED, member) end
  end
end

-- The next revision, of the thing with that name. Whoever watches hears of it.
local function revise(name)
  local revision = redis.call('HINCRBY', META, 'revision', 1)
  tidy_changed()
  redis.call('ZADD', CHANGED, revision, name)
  redis.call('PUBLISH', P .. 'wakes', revision)
  return revision
end
