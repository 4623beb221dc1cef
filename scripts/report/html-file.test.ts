import { describe, expect, it } from "vitest";
import { dataText } from "./html-file.ts";

describe("data in a page", () => {
  it("says the same to whoever parses it, and holds nothing that ends its element", () => {
    const data = { text: "</script><!-- & \u2028\u2029 <b>", "<key>": ["]]>"] };
    expect(dataText(data)).not.toMatch(/[<>&\u2028\u2029]/);
    expect(JSON.parse(dataText(data))).toEqual(data);
  });
});
