/**
 * What the server is started with: one scripted model and nothing of the user's own, and an environment in which it
 * reaches nothing but 127.0.0.1.
 */

export const MODEL = { providerID: "fake", id: "main" } as const;

export function configText(modelUrl: string, apiKey = "none"): string {
  const name = `${MODEL.providerID}/${MODEL.id}`;
  const config = {
    model: name,
    small_model: name,
    autoupdate: false,
    share: "disabled",
    permission: { "*": "allow" },
    provider: {
      [MODEL.providerID]: {
        name: "Scripted",
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: modelUrl, apiKey },
        models: {
          [MODEL.id]: { name: "Main", tool_call: true, limit: { context: 128_000, output: 8_192 } },
        },
      },
    },
  };
  return JSON.stringify(config, null, 2);
}

/** Nobody listens there, so that every request which is not for 127.0.0.1 is refused on this machine. */
const NOWHERE = "http://127.0.0.1:1/";

/**
 * An environment without anything of the user's. The server looks on the network for models, updates and language
 * servers unless told not to, and for the package of its plugin types whatever it is told; that one is refused.
 */
export function isolatingEnvironment(home: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: home,
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    ...Object.fromEntries(
      ["http_proxy", "https_proxy"].flatMap((name) => [
        [name, NOWHERE],
        [name.toUpperCase(), NOWHERE],
      ]),
    ),
    no_proxy: "127.0.0.1",
    NO_PROXY: "127.0.0.1",
    npm_config_registry: NOWHERE,
    npm_config_fetch_retries: "0",
  };
}
