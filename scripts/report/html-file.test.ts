import { describe, expect, it } from "vitest";
import { dataText } from "./html-file.ts";

describe("data in a page", () => {
  it("says the same to whoever parses it, and holds nothing that ends its element", () => {
    const data = { text: "</script><!-- & \u2028\u2029 <b> → “é” 😀", "<key>": ["]]>"] };
    expect(dataText(data)).toMatch(/^[\x20-\x7e]*$/);
    expect(dataText(data)).not.toMatch(/[<>&]/);
    expect(JSON.parse(dataText(data))).toEqual(data);
  });
});
