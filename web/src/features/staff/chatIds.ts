import type { ChatProvider } from "@footprint/contract/notices.ts";

/** What a chat id is, and where one finds it. */
export function whereToFind(provider: ChatProvider | null): string {
  if (provider === "telegram")
    return "The chat id is the number of a Telegram chat. Send /start to the business's bot, so that it may write to you; the bot @userinfobot tells you your own number. That of a group begins with a minus.";
  if (provider === "discord")
    return "The chat id is the number of a person or a channel on Discord. Turn on Developer Mode under Settings, Advanced; then right-click on either and choose Copy ID. The bot has to be on a server that you share.";
  return "The chat id is the number of a chat on Telegram or Discord. Nothing is sent yet: whoever starts the server sets CHAT_PROVIDER to telegram or discord, and CHAT_TOKEN to the token of your bot.";
}
