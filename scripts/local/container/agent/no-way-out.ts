/**
 * Nobody listens there (`discard`). The clients in the CLIs of others ask a proxy for every address but the excepted ones, so that
 * whatever they want of the internet ends here at once, whether or not a setting of theirs was overlooked.
 */
const NOWHERE = "http://127.0.0.1:9";
export const NO_WAY_OUT = {
  HTTP_PROXY: NOWHERE,
  HTTPS_PROXY: NOWHERE,
  ALL_PROXY: NOWHERE,
  http_proxy: NOWHERE,
  https_proxy: NOWHERE,
  all_proxy: NOWHERE,
  NO_PROXY: "127.0.0.1",
  no_proxy: "127.0.0.1",
} as const;
