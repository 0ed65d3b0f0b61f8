-- One exchange: a process tells what has ended, and asks for turns.

-- How soon to ask again for a place that is free and another process has a claim to.
local CLAIMED_S = 0.05

-- When the places let one start that waits since then; nil if there is one.
local function full(one, since)
  local before = earlier(one, since)
  if one.in_flight + before < one.limits.places then return nil end
  if one.in_flight < one.limits.places then return now + CLAIMED_S end
  return tonumber(redis.call('ZRANGE', one.keys.leases, 0, 0, 'WITHSCORES')[2])
end

local function crowded(asked, since)
  for _, one in ipairs(both(asked.model)) do
    local lapses_at = full(one, since)
    if lapses_at then return lapses_at, one end
  end
end

-- Grant a turn, or say what has to be waited for, how long, and whether others may pass.
local function turn(asked)
  local since = now - asked.age_s
  local lapses_at, where = crowded(asked, since)
  if where then
    return { at = lapses_at, why = 'in_flight', where = where, again = lapses_at }
  end
  -- Those who wait longer may ask earlier, and find their turns still there.
  local at, why, horizon, spread, dues = now, nil, message.horizon_s, 0, {}
  for _, one in ipairs(both(asked.model)) do
    local _, before = earlier(one, since)
    if before > 0 then horizon = math.min(horizon, message.horizon_s / 4) end
    local due_at, reason = due(one, since, asked.tokens)
    dues[one] = due_at
    if due_at > at then
      at, why, where, spread = due_at, reason, one, before * (one.limits.interval_s or 0)
    end
    if one.name == '' and at > now + horizon then break end -- nobody may pass
  end
  -- Whoever waits for tokens sets aside the most it may take: no sooner than it has to.
  if why == 'tokens' then horizon = math.min(horizon, message.horizon_s / 50) end
  if at > now + horizon then
    -- Half of the horizon later, so that several turns come in one answer.
    local again = at + math.max(spread - message.horizon_s, -horizon) / 2
    return { at = at, why = why, where = where, again = again }
  end
  for one, due_at in pairs(dues) do take(one, asked.id, at, due_at, asked.tokens) end
  return { at = at, why = why, granted = true }
end

local function serve(answer)
  local blocked, again, refused = {}, nil, {}
  for _, asked in ipairs(message.asked) do
    if not blocked[asked.model] then
      local got = turn(asked)
      local why = got.why or asked.why
      table.insert(answer.turns, { id = asked.id, granted = got.granted or false, why = why,
                                   in_s = got.at - now, at = text(got.at) })
      if not got.granted then
        again = math.min(again or got.again, got.again)
        if not refused[got.where] then
          refused[got.where] = { since = now - asked.age_s, why = got.why }
        end
        blocked[asked.model] = true
        if got.where.name == '' then
          answer.shut = true
          break
        end
      end
    end
  end
  if again then answer.again_s = again - now end
  if not message.waiting then return end
  scope('')
  for name in pairs(limits.models) do scope(name) end
  for _, one in pairs(scopes) do
    if refused[one] then enlist(one, refused[one].since, refused[one].why) else strike(one) end
  end
end

-- Add what a process knows of its own turns to a state that does not know it.
local function restore(known)
  for name, at in pairs(known.last) do
    local one = scope(name)
    if one then
      one.last, one.start = math.max(one.last, at), math.max(one.start, at)
      one.changed = true
    end
  end
  for _, past in ipairs(known.window) do
    for _, one in ipairs(both(past.model)) do
      if one.limits.tokens and not set_aside(one, past.id) then
        put_aside(one, past.id, past.at, past.tokens, past.tokens)
        one.sum = one.sum + past.tokens
        one.from = math.max(one.from, past.at)
        one.changed = true
      end
    end
  end
end

local function hear()
  if message.known then restore(message.known) end
  for _, told in ipairs(message.told) do
    if told.what == 'pause' then
      redis.call('HSET', home, 'paused', told.reason)
      paused = told.reason
    elseif told.what == 'resume' then
      redis.call('HDEL', home, 'paused')
      paused = false
    elseif told.what == 'hold' then
      held = math.max(held, now + told.wait_s)
      redis.call('HSET', home, 'held', text(held))
    else
      for _, one in ipairs(both(told.model)) do
        if told.what == 'renew' then lease(one, told.id, now + message.lease_s) end
        if told.what == 'start' then take(one, told.id, told.at, told.at, told.tokens) end
        if told.what == 'settle' then settle(one, told.id, told.tokens) end
        if told.what == 'release' then release(one, told.id) end
        if told.what == 'settle' or told.what == 'release' then one.freed = (one.freed or 0) + 1 end
      end
    end
  end
end

-- For how long places that come free may be passed on by the process that has them: not where each
-- start is counted for a rate, nor where there are too many, nor where others have waited enough.
local function keep_s()
  if paused or now < careful or now < held then return 0 end
  local kept = limits.keep_s or 0
  scope('')
  for name in pairs(limits.models) do scope(name) end
  for _, one in pairs(scopes) do
    local own = one.limits
    local rated = own.interval_s or own.tokens or own.delay_s > 0
    if rated or one.in_flight > own.places then return 0 end
    for _, other in ipairs(others(one)) do
      local left = (holders(one)[message.owner] or 0) - 1
      kept = math.min(kept, claims_from(one, other, left) - now)
    end
  end
  return math.max(kept, 0)
end

local function about(one)
  local at, why = due(one, now, message.tokens or 1)
  local line = {}
  for _, other in ipairs(others(one)) do
    table.insert(line, { owner = other.owner, number = other.number, why = other.why })
  end
  local full_until = full(one, now)
  if full_until and full_until > at then at, why = full_until, 'in_flight' end
  return { in_flight = one.in_flight, started = one.started, used = one.limits.tokens and one.sum,
           next_s = at - now, why = why, by_owner = holders(one), line = line,
           shown = one.limits.shown }
end

local answer = { now = text(now), turns = {} }

-- A server that does not know us, or was restarted with what it knew some time ago: from now on
-- another epoch counts. Everybody is told by its next exchange and adds what it knows, and until
-- all have done so nobody starts.
if message.server and (not epoch or string.sub(epoch, 1, #message.server) ~= message.server) then
  epoch = message.server .. '/' .. text(now)
  redis.call('HSET', home, 'epoch', epoch)
  if message.careful_s > 0 then
    blind, careful = now, now + message.careful_s
    redis.call('HSET', home, 'blind', text(blind), 'careful', text(careful))
  end
end
answer.epoch = epoch
if message.server and message.epoch ~= epoch then
  answer.stranger = true
  return cjson.encode(answer)
end
if type(limits) ~= 'table' then return cjson.encode(answer) end

if message.known then
  redis.call('HSET', home, 'limits', ARGV[1])
  redis.call('SADD', message.names, message.provider)
end
hear()
answer.paused = paused or nil
if not paused then serve(answer) end
answer.keep_s = keep_s()
for _, one in pairs(scopes) do
  if one.freed then wake(one, one.freed) end
end
if message.about then
  answer.about = { whole = about(scope('')), models = {},
                   held_s = math.max(held - now, 0), careful_s = math.max(careful - now, 0) }
  for name in pairs(limits.models) do answer.about.models[name] = about(scope(name)) end
end
save()
return cjson.encode(answer)
