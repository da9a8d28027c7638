"""A page opened in a browser, with its requests and its messages."""

from pathlib import Path

AXE = Path(__file__).parents[2] / "browser" / "vendor" / "axe.min.js"
DESK, PHONE = (1100, 800), (360, 740)


class Visit:
    """A page opened in a browser, with the addresses that it loads (`requests`) and its console output (`messages`)."""

    def __init__(self, browser, path, scheme="light", size=DESK, **options):
        viewport = {"width": size[0], "height": size[1]}
        self.context = browser.new_context(color_scheme=scheme, viewport=viewport, **options)
        self.page, self.requests, self.messages = self.context.new_page(), [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.address = path.as_uri()
        self.page.goto(self.address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


def barriers(visit):
    """Return the rules of axe-core that the page breaks, each with the first element that breaks it.

    The visit must have been opened with `bypass_csp=True`.
    """
    visit.page.evaluate(AXE.read_text())
    # Style sheets cannot be fetched from the disk. Elements without a barrier are not listed, which takes longest.
    found = visit.page.evaluate("axe.run(document, { preload: false, resultTypes: ['violations'] })")
    assert len(found["passes"]) > 20
    return [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]]
