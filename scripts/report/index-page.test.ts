import { expect, it } from "vitest";
import { indexPage } from "./index-page.ts";

it("shows what a run says of itself as text, and leads to its page by a relative link", () => {
  const html = indexPage([
    { run: "<i>a</i>", file: "a b.html", experiment: '"x', found: ["1 trial & more.", "<script>"] },
  ]);
  expect(html).not.toMatch(/<i>|<script>/);
  expect(html).toContain('<a href="a%20b.html">&#60;i&#62;a&#60;/i&#62;</a> · &#34;x');
  expect(html).toContain("1 trial &#38; more. &#60;script&#62;");
  expect(html).toContain("<h1>1 run</h1>");
});
