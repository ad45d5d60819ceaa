-- Sets: `{touched, member, ...}`, in order of entry; a member is `{id, name, note, since, until}`, the last of them -1
-- where it holds for ever. Sets are small: teams, children of a session.
local function read_set(key)
  local text = redis.call('GET', P .. 'set:' .. key)
  return text and cmsgpack.unpack(text) or {0}
end

-- Whether its time was up a day ago.
local function is_forgotten(member) return member[5] >= 0 and member[5] + DAY <= now end

-- Where in the set the entry is; nil where it is not.
local function place_of(set, id)
  for place = 2, #set do
    if set[place][1] == id and not is_forgotten(set[place]) then return place end
  end
  return nil
end

local function told(member) return member[1], member[2], member[3], member[4], member[5] end

-- Whether it was empty for a day: nobody asks any more that it is.
local function is_gone(set)
  if set[1] + DAY > now then return false end
  for place = 2, #set do
    if not is_forgotten(set[place]) then return false end
  end
  return true
end
