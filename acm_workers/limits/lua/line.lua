-- Processes that wait for a provider or a model: the first claim has who waits longest, and for a
-- place who has fewer of them.
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

-- From when on another process that waits for a place comes before us, who have so many of them: if
-- it has fewer, at once; if it has as many, after a grace, for to hand one over takes a message.
local function claims_from(one, other, ours)
  local its = holders(one)[other.owner] or 0
  if its < ours then return 0 end
  if its > ours then return math.huge end
  return other.since + (limits.grace_s or 0) -- older processes tell of none
end

-- How many others come before one who waits since then: for a place, and for a rate.
local function earlier(one, since)
  local places, rates = 0, 0
  for _, other in ipairs(others(one)) do
    if other.why == 'in_flight' then
      local ours = holders(one)[message.owner] or 0
      if claims_from(one, other, ours) <= since then places = places + 1 end
    elseif other.since < since then
      rates = rates + 1
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

-- Tell those who come first to ask again, for something came free: so many of those who wait for a
-- place, and so many of the others.
local function wake(one, number)
  if one.in_flight >= one.limits.places then return end
  local first, has = { {}, {} }, holders(one)
  for _, other in ipairs(others(one)) do
    table.insert(first[other.why == 'in_flight' and 1 or 2], other)
  end
  table.sort(first[1], function(a, b)
    local its, theirs = has[a.owner] or 0, has[b.owner] or 0
    if its == theirs then return a.since < b.since end
    return its < theirs
  end)
  for _, line in ipairs(first) do
    for i = 1, math.min(number, #line) do
      redis.call('PUBLISH', message.wake .. line[i].owner, message.provider)
    end
  end
end
