"""Whether leases that ran out are those of the dead, as one process can tell by its own."""

from acm_workers.engine.leader import LeaseHealth


def renewed(*times: float) -> LeaseHealth:
    """Return the renewals of a process that began at 0."""
    renewals = LeaseHealth(0.0)
    for time in times:
        renewals.renewed(time)
    return renewals


def test_a_process_that_has_just_begun_does_not_know_what_was_before() -> None:
    renewals = renewed(0, 5, 10)

    assert not renewals.expired_means_dead(11.9)
    assert renewals.expired_means_dead(12)


def test_a_store_that_takes_our_renewals_takes_those_of_the_living() -> None:
    assert renewed(5, 11, 20, 30).expired_means_dead(39)


def test_while_ours_do_not_go_through_nobody_is_taken_for_dead() -> None:
    assert not renewed(5, 10, 15).expired_means_dead(26)


def test_after_a_gap_the_living_get_time_to_renew_theirs() -> None:
    renewals = renewed(5, 10, 15, 55, 60, 65)

    assert not renewals.expired_means_dead(66.9)
    assert renewals.expired_means_dead(67)
