import { expect, it } from "vitest";
import { indexPage } from "./index-page.ts";

it("shows what a run says of itself as text, and leads to its page by a relative link", () => {
  const html = indexPage([
    {
      ...{ run: "<i>a</i>", file: "a b.html", experiment: '"x', found: ["1 trial & more.", "<script>"] },
      ...{ host: "<b>stand-in</b>", caveat: "it is <b>none</b>", tone: "bad" },
    },
  ]);
  expect(html).not.toMatch(/<[ib]>|<script>/);
  expect(html).toContain('<a href="a%20b.html">&#60;i&#62;a&#60;/i&#62;</a> · &#34;x · not as expected');
  expect(html).toContain("1 trial &#38; more. &#60;script&#62;");
  expect(html).toContain("Host: &#60;b&#62;stand-in&#60;/b&#62;. Mind: it is &#60;b&#62;none&#60;/b&#62;.");
  expect(html).toContain("<h1>1 run</h1>");
});
