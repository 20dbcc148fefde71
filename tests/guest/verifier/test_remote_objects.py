"""What one process knows of the objects of the other."""

from planish.guest.verifier import link
from planish.guest.verifier.proxy import Proxy
from planish.guest.verifier.remote_objects import RemoteObjects


def test_the_number_of_an_object_that_is_gone_says_nothing_of_the_next_one() -> None:
    objects = RemoteObjects(strict=True)
    known = (link.NAMED, link.FOREIGN, link.MODULES)
    proxy = object.__new__(Proxy)
    objects._keep(90_001, proxy)  # pyright: ignore[reportPrivateUsage]
    for numbers in known:
        numbers.update((90_001, 90_003))
    try:
        assert objects.dropped() == []
        del proxy
        assert objects.dropped() == [90_001]
        assert [numbers & {90_001, 90_003} for numbers in known] == [{90_003}] * 3
    finally:
        for numbers in known:
            numbers.difference_update((90_001, 90_003))
