"""Pictures of the study's tables: bars and lines as SVG, with nothing but Python's standard library."""

import html
import math

# Okabe and Ito's palette, which people with any colour vision tell apart (https://jfly.uni-koeln.de/color/).
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 820, 440, 70, 20, 60, 70


def ticks(low, high, wanted=6):
    """Round numbers from low to high, both finite and low < high."""
    raw = (high - low) / wanted
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    return [index * step for index in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def powers(low, high):
    """Powers of ten from the one at or below low to the one at or above high, both positive."""
    return [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


class Picture:
    """Axes and a legend. `y_range` in the unit of the values; `logarithmic` ones must be positive."""

    def __init__(self, title, y_label, y_range, logarithmic=False):
        self.parts, self.logarithmic = [], logarithmic
        low, high = y_range
        if logarithmic:
            marks = powers(low, high)
            self.low, self.high = marks[0], marks[-1] if len(marks) > 1 else marks[0] * 10
        else:
            self.low, self.high = low, high if high > low else low + 1
            marks = ticks(self.low, self.high)
        self.text(WIDTH / 2, 22, title, size=15)
        self.text(18, (TOP + HEIGHT - BOTTOM) / 2, y_label, turned=90)
        for mark in marks:
            y = self.y(mark)
            self.line(LEFT, y, WIDTH - RIGHT, y, "#dddddd")
            self.text(LEFT - 6, y + 4, f"{mark:g}", anchor="end", size=11)
        self.line(LEFT, self.y(self.low), WIDTH - RIGHT, self.y(self.low), "#000000")

    def y(self, value):
        if self.logarithmic:
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)

    def text(self, x, y, text, anchor="middle", size=12, turned=0):
        """turned: degrees, anticlockwise."""
        turn = f' transform="rotate({-turned} {x:.1f} {y:.1f})"' if turned else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{turn}>'
                          f'{html.escape(text)}</text>')

    def line(self, x1, y1, x2, y2, colour):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>')

    def legend(self, names):
        """Two rows at most fit above the axes."""
        x, y = LEFT, 32
        for index, name in enumerate(names):
            if x + 20 + 7 * len(name) > WIDTH and x > LEFT:
                x, y = LEFT, y + 15
            self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="12" height="12" fill="{COLOURS[index % len(COLOURS)]}"/>')
            self.text(x + 17, y + 10, name, anchor="start")
            x += 30 + 7 * len(name)

    def write(self, path):
        path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">\n'
                        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def bars(path, title, y_label, groups, logarithmic=False):
    """groups: {name below the axis: {series: value, or (value, deviation); None draws nothing}}. Of a series that is
    missing in one group the place stays free. Draws nothing where there is no value: False then."""
    names = list(dict.fromkeys(name for series in groups.values() for name in series))
    given = [value if isinstance(value, tuple) else (value, 0) for series in groups.values() for value in series.values()
             if value is not None]
    if not given:
        return False
    low = min(value for value, _ in given) if logarithmic else 0
    picture = Picture(title, y_label, (low, 1.05 * max(value + deviation for value, deviation in given)), logarithmic)
    span = (WIDTH - LEFT - RIGHT) / len(groups)
    width = 0.8 * span / len(names)
    for index, (group, series) in enumerate(groups.items()):
        begin = LEFT + (index + 0.1) * span
        if 7 * max(map(len, groups)) < span:
            picture.text(begin + 0.4 * span, HEIGHT - BOTTOM + 20, group, size=11)
        else:
            picture.text(begin + 0.4 * span, HEIGHT - BOTTOM + 14, group, anchor="end", size=11, turned=40)
        for place, name in enumerate(names):
            if series.get(name) is None:
                continue
            value, deviation = series[name] if isinstance(series[name], tuple) else (series[name], 0)
            x, top = begin + place * width, picture.y(value)
            height = max(picture.y(picture.low) - top, 0)
            picture.parts.append(f'<rect x="{x:.1f}" y="{top:.1f}" width="{0.92 * width:.1f}" height="{height:.1f}" '
                                 f'fill="{COLOURS[place % len(COLOURS)]}"/>')
            if deviation:
                middle = x + 0.46 * width
                picture.line(middle, picture.y(value + deviation), middle, picture.y(value - deviation), "#000000")
    picture.legend(names)
    picture.write(path)
    return True


def lines(path, title, x_label, y_label, series, band=None, logarithmic=False, y_range=None):
    """series: {name: [(x, y), …]}, in the order of x; band: [(x, low, high), …], drawn behind them. Draws nothing where
    there is no point: False then."""
    points = [point for values in series.values() for point in values] + [(x, y) for x, *ends in band or () for y in ends]
    if not points:
        return False
    if y_range is None:
        y_range = min(y for _, y in points), max(y for _, y in points)
        if not logarithmic:
            y_range = min(0, y_range[0]), 1.05 * y_range[1]
    picture = Picture(title, y_label, y_range, logarithmic)
    first, last = min(x for x, _ in points), max(x for x, _ in points)
    last = last if last > first else first + 1

    def at(x, y):
        place = LEFT + 10 + (x - first) / (last - first) * (WIDTH - LEFT - RIGHT - 20)
        return f"{place:.1f},{picture.y(min(max(y, picture.low), picture.high)):.1f}"

    if band:
        outline = [at(x, high) for x, _, high in band] + [at(x, low) for x, low, _ in reversed(band)]
        picture.parts.append(f'<polygon points="{" ".join(outline)}" fill="#bbbbbb" fill-opacity="0.6"/>')
    for index, values in enumerate(series.values()):
        picture.parts.append(f'<polyline points="{" ".join(at(x, y) for x, y in values)}" fill="none" '
                             f'stroke="{COLOURS[index % len(COLOURS)]}" stroke-width="1.3"/>')
    for mark in ticks(first, last):
        picture.text(float(at(mark, picture.low).split(",")[0]), HEIGHT - BOTTOM + 18, f"{mark:g}", size=11)
    picture.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 22, x_label)
    picture.legend(series)
    picture.write(path)
    return True
