-- Applies what one process reports about one provider, and grants the permits that it requests.
--
-- KEYS[1] is the prefix of the provider's keys. ARGV[1] holds the limits of the process, or '' to
-- use those that were stored last; ARGV[2] is its message, see redis_session.py. Times are seconds
-- of TIME. The rule of a quota is that of quota.py; one contract of tests holds for both.
--
-- Names in Redis are those of the first release: `blind`, `careful`, `line`, `truth`, `ahead`.

local prefix = KEYS[1]
local message = cjson.decode(ARGV[2])
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1000000
local home = prefix .. ':state:'
local stored = redis.call('HMGET', home, 'epoch', 'blind', 'careful', 'held', 'paused', 'quota')
local epoch, paused = stored[1], stored[5]
-- Starts up to `unknown_until` are unknown; none happens before `recovers_at` or `held_until`.
local unknown_until = tonumber(stored[2] or 0)
local recovers_at = tonumber(stored[3] or 0)
local held_until = tonumber(stored[4] or 0)
local limits = cjson.decode(ARGV[1] ~= '' and ARGV[1] or stored[6] or 'null')

local function text(time)
  return string.format('%.6f', time) -- tostring would keep 14 digits
end

---------------------------------------------------------------------------------------------------
-- Scopes: the state of a provider, or of one of its models that has limits of its own. If several
-- tenants use the provider's API key, requests count in scopes of that key too, which have rates
-- and no slots.

local scopes = {}

-- Return the scope of the provider itself ('') or of a model; nil if that has no limits of its own.
local function scope(name, of_key)
  local place = (of_key and 'key ' or 'own ') .. name
  if scopes[place] then return scopes[place] end
  local given, prefix = limits, prefix
  if of_key then given, prefix = limits.shared, limits.shared and limits.shared.key end
  local own = given and (name == '' and given.total or given.models[name])
  if not own then return nil end
  local keys = { state = prefix .. ':state:' .. name, leases = prefix .. ':leases:' .. name,
                 window = prefix .. ':window:' .. name, tokens = prefix .. ':tokens:' .. name,
                 queue = prefix .. ':line:' .. name }
  local state = redis.call('HMGET', keys.state, 'last', 'start', 'from', 'ahead', 'sum', 'truth',
                           'started')
  redis.call('ZREMRANGEBYSCORE', keys.leases, '-inf', text(now))
  local one = { name = name, of_key = of_key, keys = keys, limits = own,
                member = of_key and message.owner .. ' ' .. (message.provider or '')
                         or message.owner,
                last_due = tonumber(state[1] or 0), last_start = tonumber(state[2] or 0),
                spread_from = tonumber(state[3] or 0), spread_tokens = tonumber(state[4] or 0),
                sum = tonumber(state[5] or 0), used_of_estimated = tonumber(state[6] or 1),
                started = tonumber(state[7] or 0),
                in_flight = redis.call('ZCARD', keys.leases) }
  scopes[place] = one
  return one
end

-- Return the scopes of a provider or a model: those of the tenant and of the API key, if any.
local function both(name)
  local found = {}
  for _, of_key in ipairs({ false, true }) do
    local one = scope(name, of_key)
    if one then table.insert(found, one) end
  end
  return found
end

-- Return the scopes that a request to a model counts in.
local function scopes_of(model)
  local found = both('')
  for _, one in ipairs(both(model)) do table.insert(found, one) end
  return found
end

local function load_all()
  both('')
  for name in pairs(limits.models) do both(name) end
end

local function save()
  for _, one in pairs(scopes) do
    if one.changed then
      redis.call('HSET', one.keys.state, 'last', text(one.last_due), 'start', text(one.last_start),
                 'from', text(one.spread_from), 'ahead', text(one.spread_tokens),
                 'sum', text(one.sum), 'truth', text(one.used_of_estimated),
                 'started', one.started)
    end
  end
end

---------------------------------------------------------------------------------------------------
-- Slots

-- Return how many slots each process holds.
local function holders(one)
  if one.holders then return one.holders end
  one.holders = {}
  for _, id in ipairs(redis.call('ZRANGE', one.keys.leases, 0, -1)) do
    local owner = string.match(id, '^(.*):')
    one.holders[owner] = (one.holders[owner] or 0) + 1
  end
  return one.holders
end

local function count(one, slots)
  one.in_flight = one.in_flight + slots
  if one.holders then
    one.holders[message.owner] = (one.holders[message.owner] or 0) + slots
  end
end

local function lease(one, id, expires_at)
  if one.of_key then return end
  count(one, redis.call('ZADD', one.keys.leases, text(expires_at), id))
end

local function release(one, id)
  if one.of_key then return end
  count(one, -redis.call('ZREM', one.keys.leases, id))
end

---------------------------------------------------------------------------------------------------
-- Tokens

-- Return what a request counts for in the window, and in the spread; nil if it has expired.
local function counted(one, id)
  local found = redis.call('HGET', one.keys.tokens, id)
  if not found then return nil end
  local tokens, spread = string.match(found, '^(%S+) (%S+)$')
  return tonumber(tokens), tonumber(spread)
end

local function set_counted(one, id, tokens, spread)
  redis.call('HSET', one.keys.tokens, id, string.format('%.17g %.17g', tokens, spread))
end

local function expire_tokens(one)
  local oldest = text(now - limits.window_s)
  local expired = redis.call('ZRANGEBYSCORE', one.keys.window, '-inf', oldest)
  for _, id in ipairs(expired) do
    one.sum = one.sum - (counted(one, id) or 0)
    redis.call('HDEL', one.keys.tokens, id)
  end
  if #expired > 0 then
    redis.call('ZREMRANGEBYSCORE', one.keys.window, '-inf', oldest)
    if redis.call('ZCARD', one.keys.window) == 0 then one.sum = 0 end
    one.changed = true
  end
end

-- Return when a request with so many tokens fits; one that is larger than the limit goes alone.
local function tokens_at(one, tokens)
  expire_tokens(one)
  local limit = one.limits.tokens_per_minute
  local at, first = one.spread_from + one.spread_tokens * limits.window_s / limit, 0
  local excess = one.sum + tokens - limit
  while excess > 0 do
    local found = redis.call('ZRANGE', one.keys.window, first, first + 31, 'WITHSCORES')
    if #found == 0 then break end
    for i = 1, #found, 2 do
      if excess <= 0 then break end
      at = math.max(at, tonumber(found[i + 1]) + limits.window_s)
      excess = excess - (counted(one, found[i]) or 0)
    end
    first = first + 32
  end
  return at
end

---------------------------------------------------------------------------------------------------
-- The rule

-- Return when the rates let a request start that waits since then, and which of them binds.
local function earliest(one, since, tokens)
  local at, reason = since, nil
  local function delay(time, why)
    if time > at then at, reason = time, why end
  end
  if one.name == '' then
    delay(recovers_at, 'recovery')
    delay(held_until, 'penalty')
  end
  if one.limits.interval_s then
    delay(math.max(one.last_due, unknown_until) + one.limits.interval_s, 'requests')
  end
  if one.limits.tokens_per_minute then delay(tokens_at(one, tokens), 'tokens') end
  if one.limits.launch_delay_seconds > 0 then
    delay(math.max(one.last_start, unknown_until) + one.limits.launch_delay_seconds, 'launch_delay')
  end
  return at, reason
end

-- Count a request that starts at `at` and was due at `due_at`.
local function take(one, id, at, due_at, tokens)
  local due = math.max(due_at, at - limits.late_s)
  one.last_due, one.last_start = math.max(one.last_due, due), math.max(one.last_start, at)
  if one.limits.tokens_per_minute then
    local spread = tokens * one.used_of_estimated
    redis.call('ZADD', one.keys.window, text(at), id)
    set_counted(one, id, tokens, spread)
    one.sum = one.sum + tokens
    one.spread_from, one.spread_tokens = due, spread
  end
  lease(one, id, at + message.lease_s)
  one.started = one.started + 1
  one.changed = true
end

local function settle(one, id, actual)
  if not one.limits.tokens_per_minute then return end
  local tokens, spread = counted(one, id)
  if not tokens then return end
  set_counted(one, id, actual, actual)
  one.sum = one.sum + actual - tokens
  one.spread_tokens = one.spread_tokens + actual - spread
  if actual > 0 and tokens > 0 then
    local ratio = math.min(math.max(actual / tokens, 0.01), 10)
    one.used_of_estimated = one.used_of_estimated + 0.1 * (ratio - one.used_of_estimated)
  end
  one.changed = true
end

---------------------------------------------------------------------------------------------------
-- The queue: processes whose threads wait, one entry each; an entry expires with its process

-- Return the other processes that wait, the longest wait first.
local function others(one)
  if one.others then return one.others end
  one.others = {}
  local found = redis.call('HGETALL', one.keys.queue)
  for i = 1, #found, 2 do
    local since, expires_at, number, why = string.match(found[i + 1], '^(%S+) (%S+) (%S+) (%S+)$')
    if found[i] == one.member then
      one.queued = true
    elseif tonumber(expires_at) > now then
      table.insert(one.others, { owner = found[i], since = tonumber(since),
                                 number = tonumber(number), why = why })
    else
      redis.call('HDEL', one.keys.queue, found[i])
    end
  end
  table.sort(one.others, function(a, b) return a.since < b.since end)
  return one.others
end

-- Return how many processes come before one that waits since then: for a slot, and for a rate.
-- A slot goes to the process that holds fewer. Between equals the longer wait has to be longer by
-- `handover_s`, because another process learns of a free slot only when it asks again.
local function ahead(one, since)
  local for_slot, for_rate = 0, 0
  local ours = holders(one)[message.owner] or 0
  for _, other in ipairs(others(one)) do
    if other.why == 'in_flight' then
      local theirs = holders(one)[other.owner] or 0
      if theirs < ours or (theirs == ours and other.since + limits.handover_s <= since) then
        for_slot = for_slot + 1
      end
    elseif other.since < since then
      for_rate = for_rate + 1
    end
  end
  return for_slot, for_rate
end

local function enqueue(one, since, why)
  redis.call('HSET', one.keys.queue, one.member, string.format('%s %s %d %s', text(since),
             text(now + limits.queued_s), message.waiting, why))
end

local function dequeue(one)
  others(one)
  if one.queued then redis.call('HDEL', one.keys.queue, one.member) end
end

---------------------------------------------------------------------------------------------------
-- Permits

-- Return when a slot is free for a request that waits since then at the latest; nil if one is.
local function slot_at(one, since)
  local before = ahead(one, since)
  if one.in_flight + before < one.limits.max_in_flight then return nil end
  if one.in_flight < one.limits.max_in_flight then return now + limits.poll_s end
  return tonumber(redis.call('ZRANGE', one.keys.leases, 0, 0, 'WITHSCORES')[2])
end

-- Grant a permit, or return what delays it, where (in which scope), and when to ask again.
local function acquire(request)
  local since = now - request.age_s
  for _, one in ipairs(scopes_of(request.model)) do
    local at = slot_at(one, since)
    if at then
      local again_at = math.min(at, now + limits.poll_s)
      return { at = at, reason = 'in_flight', scope = one, again_at = again_at }
    end
  end
  -- Processes that wait longer may ask earlier, and find their permits still there.
  local at, reason, delaying, horizon_s, spacing_s, due = now, nil, nil, message.horizon_s, 0, {}
  for _, one in ipairs(scopes_of(request.model)) do
    local _, before = ahead(one, since)
    if before > 0 then horizon_s = math.min(horizon_s, message.horizon_s / 4) end
    local due_at, why = earliest(one, since, request.tokens)
    due[one] = due_at
    if due_at > at then
      at, reason, delaying = due_at, why, one
      spacing_s = before * (one.limits.interval_s or 0)
    end
    if one.name == '' and at > now + horizon_s then break end -- no other request may overtake
  end
  -- Estimates count until they are settled: a request that waits for tokens is not granted early.
  -- A start that is counted before its time would keep other tenants from their key until then.
  local of_tenant = limits.shared and delaying and not delaying.of_key
  if reason == 'tokens' or of_tenant then horizon_s = math.min(horizon_s, message.horizon_s / 50) end
  if at > now + horizon_s then
    -- Half of the horizon later, so that one answer grants several permits.
    local again_at = at + math.max(spacing_s - message.horizon_s, -horizon_s) / 2
    if reason == 'tokens' then again_at = math.min(again_at, now + limits.poll_s) end
    return { at = at, reason = reason, scope = delaying, again_at = again_at }
  end
  for one, due_at in pairs(due) do take(one, request.id, at, due_at, request.tokens) end
  return { at = at, reason = reason, granted = true }
end

local function acquire_all(answer)
  local blocked, again_at, refused = {}, nil, {}
  for _, request in ipairs(message.requests) do
    if not blocked[request.model] then
      local got = acquire(request)
      local reason = got.reason or request.reason
      table.insert(answer.permits, { id = request.id, granted = got.granted or false,
                                     reason = reason, in_s = got.at - now, at = text(got.at) })
      if not got.granted then
        again_at = math.min(again_at or got.again_at, got.again_at)
        -- Who waits for an API key waits for the provider too, as its state shows.
        for _, one in ipairs({ got.scope, got.scope.of_key and scope('') or nil }) do
          refused[one] = refused[one] or { since = now - request.age_s, reason = got.reason }
        end
        blocked[request.model] = true
        if got.scope.name == '' then
          answer.delayed_by = got.reason
          break
        end
      end
    end
  end
  if again_at then answer.again_s = again_at - now end
  if not message.waiting then return end
  load_all()
  for _, one in pairs(scopes) do
    if refused[one] then
      enqueue(one, refused[one].since, refused[one].reason)
    else
      dequeue(one)
    end
  end
end

---------------------------------------------------------------------------------------------------
-- What the process reports

-- Add what a process knows of its own permits to a state that has lost them.
local function restore(history)
  for name, at in pairs(history.last) do
    for _, one in ipairs(both(name)) do
      one.last_due, one.last_start = math.max(one.last_due, at), math.max(one.last_start, at)
      one.changed = true
    end
  end
  for _, past in ipairs(history.window) do
    for _, one in ipairs(scopes_of(past.model)) do
      if one.limits.tokens_per_minute and not counted(one, past.id) then
        redis.call('ZADD', one.keys.window, text(past.at), past.id)
        set_counted(one, past.id, past.tokens, past.tokens)
        one.sum = one.sum + past.tokens
        one.spread_from = math.max(one.spread_from, past.at)
        one.changed = true
      end
    end
  end
end

local function apply(event)
  if event.kind == 'pause' then
    redis.call('HSET', home, 'paused', event.reason)
    paused = event.reason
  elseif event.kind == 'resume' then
    redis.call('HDEL', home, 'paused')
    paused = false
  elseif event.kind == 'penalty' then
    held_until = math.max(held_until, now + event.wait_s)
    redis.call('HSET', home, 'held', text(held_until))
  else
    for _, one in ipairs(scopes_of(event.model)) do
      if event.kind == 'renew' then lease(one, event.id, now + message.lease_s) end
      if event.kind == 'settle' then settle(one, event.id, event.tokens) end
      if event.kind == 'release' then release(one, event.id) end
    end
  end
end

local function describe(one)
  local at, reason = earliest(one, now, message.tokens or 1)
  local free_at = slot_at(one, now)
  if free_at and free_at > at then at, reason = free_at, 'in_flight' end
  local queue = {}
  for _, other in ipairs(others(one)) do
    table.insert(queue, { owner = other.owner, number = other.number, reason = other.why })
  end
  return { limits = one.limits, in_flight = one.in_flight, started = one.started,
           used = one.limits.tokens_per_minute and one.sum, next_s = at - now, reason = reason,
           by_owner = holders(one), queue = queue }
end

local answer = { now = text(now), permits = {} }

-- A server that knows no epoch, or was restarted with a state of some time ago: a new epoch begins.
-- Each process learns that from its next answer, and reports its permits again. No request starts
-- until all had time to do so.
if message.server and (not epoch or string.sub(epoch, 1, #message.server) ~= message.server) then
  epoch = message.server .. '/' .. text(now)
  redis.call('HSET', home, 'epoch', epoch)
  if message.recovery_s > 0 then
    unknown_until, recovers_at = now, now + message.recovery_s
    redis.call('HSET', home, 'blind', text(unknown_until), 'careful', text(recovers_at))
  end
end
answer.epoch = epoch
if message.server and message.epoch ~= epoch then
  answer.is_stale = true
  return cjson.encode(answer)
end
if type(limits) ~= 'table' then return cjson.encode(answer) end

if message.history then
  redis.call('HSET', home, 'quota', ARGV[1])
  redis.call('SADD', message.names, message.provider)
  restore(message.history)
end
for _, event in ipairs(message.events) do apply(event) end
answer.paused = paused or nil
if not paused then acquire_all(answer) end
if message.describe then
  answer.state = { total = describe(scope('')), models = {},
                   held_s = math.max(held_until - now, 0),
                   recovers_s = math.max(recovers_at - now, 0) }
  for name in pairs(limits.models) do answer.state.models[name] = describe(scope(name)) end
end
save()
return cjson.encode(answer)
