-- What a provider, or one model with limits of its own, still allows; times in seconds of TIME.
--
-- KEYS[1] is where the state of the provider lies; other keys begin with it. ARGV[1] holds the
-- limits, ARGV[2] what one process tells and asks; see message.py.

local base = KEYS[1]
local message = cjson.decode(ARGV[2])
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1000000
local home = base .. ':state:'
local stored = redis.call('HMGET', home, 'epoch', 'blind', 'careful', 'held', 'paused', 'limits')
local epoch, paused = stored[1], stored[5]
-- Starts up to `blind` are unknown; nobody starts before `careful` or `held`.
local blind = tonumber(stored[2] or 0)
local careful = tonumber(stored[3] or 0)
local held = tonumber(stored[4] or 0)
local limits = cjson.decode(ARGV[1] ~= '' and ARGV[1] or stored[6] or 'null')

local function text(time)
  return string.format('%.6f', time) -- tostring would keep 14 digits
end

local scopes = {}

-- The state of the provider itself ('') or of a model; nil if that has no limits of its own.
local function scope(name)
  if scopes[name] then return scopes[name] end
  local own = name == '' and limits.whole or limits.models[name]
  if not own then return nil end
  local keys = { state = base .. ':state:' .. name, leases = base .. ':leases:' .. name,
                 window = base .. ':window:' .. name, tokens = base .. ':tokens:' .. name,
                 line = base .. ':line:' .. name }
  local kept = redis.call('HMGET', keys.state, 'last', 'start', 'from', 'ahead', 'sum', 'truth',
                          'started')
  redis.call('ZREMRANGEBYSCORE', keys.leases, '-inf', text(now))
  local one = { name = name, keys = keys, limits = own,
                last = tonumber(kept[1] or 0), start = tonumber(kept[2] or 0),
                from = tonumber(kept[3] or 0), ahead = tonumber(kept[4] or 0),
                sum = tonumber(kept[5] or 0), truth = tonumber(kept[6] or 1),
                started = tonumber(kept[7] or 0),
                in_flight = redis.call('ZCARD', keys.leases) }
  scopes[name] = one
  return one
end

-- The provider, and the model if it has limits of its own.
local function both(model)
  return { scope(''), scope(model) }
end

local function save()
  for _, one in pairs(scopes) do
    if one.changed then
      redis.call('HSET', one.keys.state, 'last', text(one.last), 'start', text(one.start),
                 'from', text(one.from), 'ahead', text(one.ahead), 'sum', text(one.sum),
                 'truth', text(one.truth), 'started', one.started)
    end
  end
end

-- How many places each process has.
local function holders(one)
  if one.holders then return one.holders end
  one.holders = {}
  for _, id in ipairs(redis.call('ZRANGE', one.keys.leases, 0, -1)) do
    local owner = string.match(id, '^(.*):')
    one.holders[owner] = (one.holders[owner] or 0) + 1
  end
  return one.holders
end

local function count(one, places)
  one.in_flight = one.in_flight + places
  if one.holders then
    one.holders[message.owner] = (one.holders[message.owner] or 0) + places
  end
end

local function lease(one, id, deadline)
  count(one, redis.call('ZADD', one.keys.leases, text(deadline), id))
end

local function release(one, id)
  count(one, -redis.call('ZREM', one.keys.leases, id))
end

local function duration(one, tokens)
  return tokens * limits.window_s / one.limits.tokens
end

-- What was set aside for a request, and what it counts for in the spread; nil if it is too old.
local function set_aside(one, id)
  local kept = redis.call('HGET', one.keys.tokens, id)
  if not kept then return nil end
  local tokens, spread = string.match(kept, '^(%S+) (%S+)$')
  return tonumber(tokens), tonumber(spread)
end

local function put_aside(one, id, at, tokens, spread)
  if at then redis.call('ZADD', one.keys.window, text(at), id) end
  redis.call('HSET', one.keys.tokens, id, string.format('%.17g %.17g', tokens, spread))
end

local function forget(one)
  local old = text(now - limits.window_s)
  local gone = redis.call('ZRANGEBYSCORE', one.keys.window, '-inf', old)
  for _, id in ipairs(gone) do
    one.sum = one.sum - (set_aside(one, id) or 0)
    redis.call('HDEL', one.keys.tokens, id)
  end
  if #gone > 0 then
    redis.call('ZREMRANGEBYSCORE', one.keys.window, '-inf', old)
    if redis.call('ZCARD', one.keys.window) == 0 then one.sum = 0 end
    one.changed = true
  end
end

-- When the window has room for so many tokens more; what is larger than the limit goes alone.
local function roomy(one, tokens)
  forget(one)
  local at, first = one.from + duration(one, one.ahead), 0
  local excess = one.sum + tokens - one.limits.tokens
  while excess > 0 do
    local found = redis.call('ZRANGE', one.keys.window, first, first + 31, 'WITHSCORES')
    if #found == 0 then break end
    for i = 1, #found, 2 do
      if excess <= 0 then break end
      at = math.max(at, tonumber(found[i + 1]) + limits.window_s)
      excess = excess - (set_aside(one, found[i]) or 0)
    end
    first = first + 32
  end
  return at
end

-- When the rates let one start that waits since then, and which of them binds.
local function due(one, since, tokens)
  local at, why = since, nil
  local function wait(time, reason)
    if time > at then at, why = time, reason end
  end
  if one.name == '' then
    wait(careful, 'recovery')
    wait(held, 'penalty')
  end
  if one.limits.interval_s then
    wait(math.max(one.last, blind) + one.limits.interval_s, 'requests')
  end
  if one.limits.tokens then wait(roomy(one, tokens), 'tokens') end
  if one.limits.delay_s > 0 then
    wait(math.max(one.start, blind) + one.limits.delay_s, 'launch_delay')
  end
  return at, why
end

-- Note a start at `at` that was due at `due_at`; see rates.py.
local function take(one, id, at, due_at, tokens)
  local from = math.max(due_at, at - limits.late_s)
  one.last, one.start = math.max(one.last, from), math.max(one.start, at)
  if one.limits.tokens then
    put_aside(one, id, at, tokens, tokens * one.truth)
    one.sum = one.sum + tokens
    one.from, one.ahead = from, tokens * one.truth
  end
  -- It may be told long after it was.
  lease(one, id, math.max(at, now) + message.lease_s)
  one.started = one.started + 1
  one.changed = true
end

local function settle(one, id, actual)
  if not one.limits.tokens then return end
  local tokens, spread = set_aside(one, id)
  if not tokens then return end
  put_aside(one, id, nil, actual, actual)
  one.sum = one.sum + actual - tokens
  one.ahead = one.ahead + actual - spread
  if actual > 0 and tokens > 0 then
    one.truth = one.truth + 0.1 * (math.min(math.max(actual / tokens, 0.01), 10) - one.truth)
  end
  one.changed = true
end
