"""Starts runs that were requested over HTTP, by the API or by a page."""

from urllib.parse import urlsplit

from acm_api.config.provider_checks import Keys
from acm_api.http import shapes
from acm_api.http.access import Requester
from acm_api.http.idempotency import RepeatedRequest
from acm_api.http.service import Service
from acm_workers import runtime, submit
from acm_workers.errors import NotAllowed
from acm_workers.store import accounts, runs, uploads
from acm_workers.submit import RunInput
from schemas.config.config import Config
from schemas.config.provider import KNOWN
from schemas.run import Run
from schemas.run_difference import CrossJudgingPlan


def check_hosts(service: Service, caller: Requester, config: Config) -> None:
    """Check that a user of the server may use the addresses of the providers.

    The server and its workers can reach machines that users cannot. A key with the scope ``admin``,
    and the local user, may name any address.

    Raises:
        NotAllowed: An address is not allowed.
    """
    if service.single_user or "admin" in caller.may:
        return
    allowed = {urlsplit(one.base_url).netloc for one in KNOWN.values()}
    allowed |= {one.strip() for one in service.settings.provider_hosts.split(",")}
    for name, provider in config.providers.items():
        host = urlsplit(provider.base_url).netloc
        if host not in allowed:
            raise NotAllowed(
                f"{host} is not a host that this server calls for users;"
                " its operator can add it to ACM_PROVIDER_HOSTS",
                f"config (providers.{name}.base_url)",
            )


def documents_of(service: Service, caller: Requester, body: shapes.RunTexts) -> dict[str, str]:
    """Return the texts of a request by name, including uploaded ones.

    Raises:
        NotFound: A text was not uploaded.
    """
    if not body.uploads:
        return body.documents
    with service.database.read() as connection:
        texts = uploads.texts(connection, caller.scope, set(body.uploads.values()))
    return body.documents | {name: texts[digest] for name, digest in body.uploads.items()}


def cross_judge(
    service: Service,
    caller: Requester,
    both: tuple[Run, Run],
    asked: shapes.NewCrossJudging,
    once: RepeatedRequest,
) -> CrossJudgingPlan:
    """Start a run in which judges compare winners of two runs; a repeated request has no effect.

    Raises:
        QuotaSpent: The quotas of the tenant do not allow another run.
    """
    from acm_api import cross_judging  # imports numpy

    keys: Keys = "here" if service.settings.broker_url is None else "workers"
    what = cross_judging.prepare(service.database, *both, asked.documents, keys=keys)
    with once.write(service.database) as (connection, answered):
        if answered is not None:
            answer = CrossJudgingPlan.model_validate(answered)
        else:
            known = cross_judging.earlier(connection, what)
            if known is None or known.state == "paused":
                caller.check_quota(connection, len(what.pairs))
                known_id = None if known is None else known.id
                budget = caller.budget_usd(connection, asked.budget_usd, known_id)
                bound = what.config.model_copy(update={"budget_usd": budget})
                run = cross_judging.begin_in(connection, what._replace(config=bound))
                now = runtime.utc_now()
                runs.request(connection, run.id, now)
                accounts.audit(connection, caller.scope, caller.name, "run", now, run.id)
            answer = cross_judging.plan(connection, what)
            once.save(connection, answer)
    service.dispatcher.wake()
    return answer


def start(
    service: Service, caller: Requester, work: RunInput, once: RepeatedRequest
) -> shapes.StartedRun:
    """Start a run, or resume its unfinished predecessor; a repeated request has no effect.

    Raises:
        QuotaSpent: The quotas of the tenant do not allow another run.
    """
    check_hosts(service, caller, work.config)
    with once.write(service.database) as (connection, earlier):
        if earlier is not None:
            answer = shapes.StartedRun.model_validate(earlier)
        else:
            caller.check_quota(connection, len(work.inputs))
            now = runtime.utc_now()
            asked = work.config.budget_usd
            budget = caller.budget_usd(connection, asked)
            bound = work.config.model_copy(update={"budget_usd": budget})
            made = submit.submit_in(
                connection,
                service.database,
                work._replace(config=bound),
                runtime.making(),
                caller.scope,
            )
            if made.run_id is not None:
                runs.request(connection, made.run_id, now)
            answer = shapes.StartedRun(
                run_id=made.run_id, resumed=made.resumed, skipped=made.skipped, plan=made.plan
            )
            accounts.audit(connection, caller.scope, caller.name, "run", now, made.run_id)
            once.save(connection, answer)
    service.dispatcher.wake()
    return answer
