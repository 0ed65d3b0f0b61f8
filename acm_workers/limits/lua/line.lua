-- Processes that wait for a provider or a model: who waits longest has the first claim, for a place
-- after a grace.
--
-- Each keeps one entry while it waits: since when, until when the entry counts, how many threads
-- wait, and for what. A process that died stops to count.

local function others(one)
  if one.others then return one.others end
  one.others = {}
  local found = redis.call('HGETALL', one.keys.line)
  for i = 1, #found, 2 do
    local since, till, number, why = string.match(found[i + 1], '^(%S+) (%S+) (%S+) (%S+)$')
    if found[i] == message.owner then
      one.listed = true
    elseif tonumber(till) > now then
      table.insert(one.others, { owner = found[i], since = tonumber(since),
                                 number = tonumber(number), why = why })
    else
      redis.call('HDEL', one.keys.line, found[i])
    end
  end
  table.sort(one.others, function(a, b) return a.since < b.since end)
  return one.others
end

-- How many others wait longer than one who does since then: for a place, and for a rate.
local function earlier(one, since)
  local places, rates = 0, 0
  local graced = now - (limits.grace_s or 0) -- older processes tell of none
  for _, other in ipairs(others(one)) do
    if other.since < since then
      if other.why ~= 'in_flight' then
        rates = rates + 1
      elseif other.since < graced then
        places = places + 1
      end
    end
  end
  return places, rates
end

local function enlist(one, since, why)
  redis.call('HSET', one.keys.line, message.owner, string.format('%s %s %d %s', text(since),
             text(now + limits.listed_s), message.waiting, why))
end

local function strike(one)
  others(one)
  if one.listed then redis.call('HDEL', one.keys.line, message.owner) end
end

-- Tell those who waited longest to ask again, for something came free.
local function wake(one, number)
  if one.in_flight >= one.limits.places then return end
  for i, other in ipairs(others(one)) do
    if i > number then break end
    redis.call('PUBLISH', message.wake .. other.owner, message.provider)
  end
end
