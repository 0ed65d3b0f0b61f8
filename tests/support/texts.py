"""Five short documents on different subjects."""

TEXTS = {
    "bees.md": """# How bees keep warm

A colony of bees does not sleep through the winter. The bees form a ball around their queen and
shiver with their flight muscles, which makes heat without moving the wings. Those on the outside
slowly change places with those inside. The colder it gets, the tighter the ball becomes.
""",
    "bread.txt": """Sourdough without a scale

Flour, water and patience are enough. A spoon of starter, a cup of water and two cups of flour
make a soft dough. Fold it every half hour for three hours, then let it rise overnight in a cool
room. Bake it in a hot pot with a lid, and take the lid off for the last quarter of an hour.
""",
    "city/trams.md": """# Why trams came back

Many cities tore up their tram tracks in the 1950s and laid them again fifty years later. A tram
carries as many people as three buses and needs one driver. Its tracks tell everybody where it
goes, and shops open along a line because they trust that it will stay.
""",
    "city/water/tower.md": """# The water tower

A pump that fills a tower at night needs less power than one that follows every shower and every
kettle. The height of the tank sets the pressure in the pipes. When the power fails, the town has
water until the tank is empty, which is most of a day.
""",
    "maps.md": """# Reading contour lines

Every point on a contour line has the same height. Lines that stand close together mean a steep
slope, and lines far apart mean a gentle one. A closed ring is a hilltop or a hollow; small ticks
on its inner side say that it is a hollow.
""",
}


def first(number: int) -> dict[str, str]:
    """Return the first ``number`` of the documents."""
    return dict(list(TEXTS.items())[:number])
