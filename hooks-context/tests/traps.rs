//! Sentences that look like a standing wish but are not one, and wishes without a marker, in many languages.

#![cfg(test)]

use hooks_context::directive::detect;

#[test]
fn wishes_without_a_marker_are_found() {
    for text in WISHES.lines().chain(include_str!("wishes.txt").lines()).filter(|line| !line.is_empty()) {
        assert!(!detect(text).is_empty(), "no wish in `{text}`");
    }
}

#[test]
fn reports_tasks_and_requirements_are_no_wishes() {
    for text in TRAPS.lines().chain(include_str!("no_wishes.txt").lines()).filter(|line| !line.is_empty()) {
        assert!(detect(text).is_empty(), "a wish in `{text}`: {:?}", detect(text));
    }
}

#[test]
fn a_withdrawn_wish_is_none() {
    assert!(detect("From now on use yarn... no, scratch that, everything stays as it is.").is_empty());
    assert_eq!(detect("From now on use yarn. No, keep the old lock file as well.").len(), 1);
}

#[test]
fn items_of_a_specification_are_no_wishes() {
    assert!(
        detect("Spec for the lift:\n1. The doors never open.\n2. Always stop at the ground floor.\n")
            .is_empty()
    );
    assert_eq!(detect("Notes for you:\n1. Never open the doors.\n").len(), 1);
}

#[test]
fn an_announced_text_is_not_the_users() {
    assert!(detect("Translate this:\nNever give up, always stay strong.").is_empty());
    assert!(detect("Put this on the poster:\n\nAlways wash your hands.").is_empty());
    assert_eq!(detect("Put this on the poster:\n\nAlways wash.\n\nAnd never push to main.").len(), 1);
}

const WISHES: &str = "\
We indent with two spaces here.
On this project we name branches after tickets.
Our functions carry type hints.
Our tests live next to the code they cover.
Commit messages in this repo start with a verb.
I'd rather you didn't use abbreviations.
I can't stand nested callbacks.
I'm not a fan of wildcard imports.
I like small functions.
I find early returns easier to read than nested ifs.
My preference is tabs.
I tend to favour explicit loops.
My rule of thumb: one class per file.
Tabs, not spaces.
Composition over inheritance.
Metric units only please.
No jokes in commit messages.
Shorter answers, please.
Be concise.
Keep the explanations brief.
Answer in German.
You can leave out the summary.
No need to apologise.
You don't have to explain every line.
Spare me the pleasantries.
Enough of the emojis.
Drop the preamble.
Can you stop using emojis?
Please don't apologise so much.
If you're not sure, ask.
If anything is unclear, ask me.
When you add a dependency, tell me.
Ask before deleting files.
Check with me before you install packages.
Database migrations are my job.
Leave deploys to me.
Don't touch vendored code.
Stay out of the infra folder.
Keep your hands off production.
Treat warnings as errors.
Use British English.
Write docs in plain English.
Keep commits small.
Put imports at the top.
Name tests after the behaviour they check.
FYI I'm on Windows, so no bash scripts.
For your records: our staging server is called gamma.
I'm dyslexic, so keep paragraphs short.
For future reference, the API key lives in 1Password.
We squash commits, we don't merge them.
We deploy on Tuesdays here.
Around here we don't use ORMs.
At our company, every PR has two reviewers.
Documentation is a must with us.
The way we do it here: tests first, then code.
Every function you write needs a docstring.
Anything that touches auth goes through me.
Nothing gets merged without a review.
Give me code, not prose.
I hate surprises, so tell me before you change dependencies.
I don't want any TODO comments.
I don't want to see console.log in this codebase.
Just code, no explanations from here on.
When in doubt, go for the simpler option.
One commit per change, please.
Talk to me like a senior engineer.
It's pnpm in this house, not npm.
Not a big fan of ternaries, so keep them out.
Wenn du fertig bist, führ immer die Tests aus.
Keine Emojis in Commits, bitte.
Bei uns heißen Branches nach dem Ticket.
Ich mag kurze Funktionen lieber.
Pas d'emojis dans les messages de commit, s'il te plaît.
Chez nous, les branches portent le numéro du ticket.
Ne pousse jamais sur main.
À partir de maintenant, réponds en français.
Je n'aime pas les fonctions trop longues.
Rappelle-toi que la préprod est derrière le VPN.
De ahora en adelante usa pnpm.
En este proyecto usamos tabuladores.
No me gustan los comentarios obvios.
Recuerda que el servidor está en UTC.
Non usare mai eval.
Da ora in poi scrivi i commenti in italiano.
Nel nostro team i branch hanno il numero del ticket.
Basta emoji nei commit.
Gebruik altijd tabs.
Push nooit direct naar main.
Vergeet niet dat de server achter een VPN staat.
Używaj zawsze tabulatorów.
Nigdy nie pushuj bezpośrednio na main.
Wolę krótkie funkcje.
Przestań używać emotikon.
Всегда пиши тесты перед коммитом.
Я предпочитаю короткие функции.
У нас в команде ветки называются по номеру тикета.
Хватит извиняться.
Завжди запускай лінтер перед комітом.
Bundan sonra Türkçe yaz.
Kısa fonksiyonları tercih ederim.
Emoji kullanmayı bırak.
从现在开始用中文回答。
永远不要直接推送到主分支。
别再用表情符号了。
记住，测试服务器在内网。
これからはコメントを日本語で書いてください。
絵文字を使うのはやめてください。
テストサーバーはVPN内にあることを覚えておいてください。
短い関数のほうが好きです。
앞으로는 한국어로 대답해 주세요.
이모지는 그만 써 주세요.
테스트 서버는 VPN 안에 있다는 걸 기억해 주세요.
من الآن فصاعدًا أجب بالعربية.
استخدم دائمًا أسماء واضحة للمتغيرات.
أفضل الدوال القصيرة.
अब से हिंदी में जवाब दो।
कभी भी सीधे main पर push मत करो।
मुझे छोटे फ़ंक्शन पसंद हैं।
In this codebase errors are returned, never thrown.
Migrations here are written by hand.
Our house style is Oxford commas.
We're a tabs shop.
Every PR gets a changelog entry.
All new endpoints need a test.
PRs are squashed before they land.
The team prefers rebasing.
Everyone here uses pnpm.
We've agreed to write commit messages in English.
We settled on Conventional Commits.
snake_case everywhere.
British spelling throughout, please.
Two spaces for indentation.
Double quotes for strings.
Nobody commits to main.
No merge without a review.
Schema changes need my approval.
I do the releases myself.
You don't deploy, I do that.
Max three arguments per function.
Limit lines to 100 characters.
Before touching shared code, ask.
When stuck, ask.
Short functions beat long ones any day.
Nested callbacks drive me mad.
I've grown tired of emojis.
I'll take boring code over clever code.
I usually go with composition.
I avoid inheritance.
I'm all for small commits.
I'm big on tests.
I'm used to four spaces.
The shorter the better.
Rather a failing test than a silent one.
Go easy on the emojis.
Ease up on the comments.
Tone down the enthusiasm.
Less of the small talk.
Get rid of the emojis in your answers.
Sign your commits, every single time.
Tests before code, no exceptions.
Plain text, no markdown.
I want tests for every change.
I expect short answers.
Not keen on decorators.
I work best with small diffs.
The convention here is one class per file.
Each commit has one purpose.
Only named exports.
Explanations in German, code in English.
I read code faster without comments.
On this team we review each other's code.
Secrets don't belong in the repo.
Types over comments.
We never ship on Fridays.
Nothing goes out without tests.
Please talk to me in French.
Could you keep your answers to three sentences?
Would you mind not using emojis?
Can we agree on tabs from here on?
Ojo: los commits van en inglés.
No uses nunca var.
Quiero que siempre corras los tests.
No quiero emojis en los commits.
Nada de emojis en los commits.
Віднині відповідай українською.
Більше не вибачайся.
Коміти пишемо англійською.
Коммиты пишем на английском.
Давай без смайликов.
Мне ближе функциональный стиль.
Ich hätte gern kürzere Antworten.
Commits schreiben wir auf Englisch.
Lass die Emojis weg.
Wij committen alleen in het Engels.
Schrijf je antwoorden korter, voortaan.
नियम: कोड में टिप्पणी अंग्रेज़ी में लिखो।
जवाब हमेशा छोटे रखो।
اكتب التعليقات بالعربية دائما.
لا تستخدم الرموز التعبيرية بعد الآن.
提交信息一律用英文。
回答尽量简短。
返信は短くしてください、今後は。
";

const TRAPS: &str = "\
We use Kafka for events and the consumer lags.
We use Postgres 14 in production.
Our tests are failing since Monday.
Our build takes twenty minutes.
We moved to pnpm last week and now nothing installs.
Our users are complaining about the login.
I like the second version better.
I like it.
I don't like the new header.
I hate this bug.
I'd like to see the logs.
I'd like a button that resets the form.
I want a list of all open issues.
I'm tired, let's finish this tomorrow.
I'm a fan, great work.
Write unit tests for the parser.
Use the new API for the login page.
Use tabs in this file.
Keep the old name for now.
Put the button on the left.
List the failing tests only.
Only the first three rows, please.
Can you skip the migration today?
Skip the intro and go to step three.
If the build fails, show me the log.
If it works, merge it.
When you're done, push the branch.
When you find the bug, fix it.
Once the tests pass, tag the release.
Ask Kim whether the server is up.
Tell me when the build is green.
Let me know what you think.
Show me the diff before you merge this.
Before you start, read the ticket.
The parser must never crash on empty input.
The form should always show the error.
Add a rule that users never see deleted posts.
Build a bot that always answers in German.
A cache that never evicts is a leak.
Our API never returns 500.
Our grammar has two operators.
Our log files are huge.
Tests are red again.
Files are missing in the upload folder.
Emails go to spam, why?
Images get cropped on mobile.
Messages get lost when the queue is full.
Services start twice after a reboot.
FYI the build is broken.
FYI I pushed a fix.
fyi I'm getting a 500.
Just so you know, the deploy failed.
I'm on it.
I'm on the train, can you check the log?
I'm working on the login page.
We have three environments, which one is broken?
Enough, it works.
Be careful with the migration.
Call me when it's done.
Explain how the cache works in three sentences.
Answer the last question in the ticket.
Treat this as a bug.
Assume the input is sorted.
Assume that n is less than 100.
Don't add tests yet.
Don't touch the header for now.
Stay on this branch.
Leave the tests to Kim.
Over there they never write tests.
In this function we compute the sum, but it overflows.
In our app we show a banner, can you remove it?
In this project we have 40 services.
Here we go again.
Here is the log.
With us on the call was Kim.
While I'm away, finish the report.
My approach is broken.
My preference was ignored by the installer.
No errors in the log.
No idea what happened.
No tests failed.
Less memory, more speed: which flag does that?
Suppose we always used tabs.
Why do we always use tabs?
Do you prefer tabs?
Der Server stürzt immer nachts ab.
Warum wird das nie geladen?
Ich bekomme immer einen Fehler 500.
Die Funktion soll nie null zurückgeben.
Diesmal bitte keine Tests.
Le serveur plante toujours la nuit.
Le formulaire ne doit jamais afficher le mot de passe.
Je n'ai jamais vu cette erreur.
Pourquoi est-ce que ça ne marche jamais ?
La página siempre carga lento.
Nunca he visto este error.
El botón no debe aparecer nunca.
Esta vez no ejecutes los tests.
O teste sempre falha na CI.
Nunca vi esse erro.
Il test fallisce sempre in CI.
Non ho mai visto questo errore.
De test faalt altijd in CI.
Ik heb deze fout nooit gezien.
Test zawsze pada w CI.
Nigdy nie widziałem tego błędu.
Тест всегда падает в CI.
Никогда не видел такой ошибки.
Почему это никогда не работает?
Тест завжди падає в CI.
Ніколи не бачив такої помилки.
Test her zaman CI'da düşüyor.
Bu hatayı hiç görmedim.
测试总是在 CI 上失败。
我从来没见过这个错误。
用户永远不能看到密码。
CIでいつもテストが落ちます。
このエラーは見たことがありません。
테스트가 항상 CI에서 실패합니다.
이런 오류는 본 적이 없어요.
الاختبار يفشل دائمًا في CI.
لم أر هذا الخطأ أبدًا.
टेस्ट हमेशा CI में फेल होता है।
मैंने यह एरर कभी नहीं देखा।
Fix the typo in the README.
Rename the variable to count.
Could you please check why the login fails?
Add an index on user_id.
Thanks, that works.
Translate \"never push to main\" into French.
Übersetze: Nie wieder Krieg.
The sign says never enter.
The docs say you should always close the file.
What if we never cached?
Let's say we always cached the result.
Say we never retried, what would break?
Had we always used UTC, this would work.
src/main.rs:12:5: warning: never used
Jan 12 10:00:00 web1 sshd: never mind
level=warn msg=\"always retry\" 
LaTeX Warning: Always load hyperref last.
The README should say that users must never edit the lock file.
Write a tweet: never stop learning.
Draft a mail to the team: from now on, lunch is at noon.
In the tooltip write: Never share your password.
The rule \"always use tabs\" no longer applies.
You don't always have to run the tests.
I didn't say never.
We don't always deploy on Fridays.
Should we always use tabs?
Is it true that you never sleep?
Every request gets a trace ID.
Each order must have a customer.
All users need a password.
Any new user must confirm the email.
Nobody knows why.
No one logs in on Sundays.
No luck without the flag.
I do it myself.
I want a report of all bugs.
I need the logs.
I expect three rows.
I've never liked this.
I've seen this error before.
I'll take a look.
I'm used to this.
Before merging this, run the tests.
When possible, the scheduler reuses the slot.
After restarting the server, the error went away.
We've decided to drop this feature.
The team is on holiday.
In this repo there are two parsers.
In this project the tests are failing.
On this machine the build is slow.
Two tests fail.
Double check the numbers.
Max is away today.
At most one worker may hold the lock.
This is better than before.
Better, thanks.
Rather odd.
The build is better now.
The logs make me think that it is the cache.
Cut the release.
Less is more.
Get rid of the old table.
Hold on.
Go ahead.
Pods get evicted at night, no exceptions in the log.
It happens every time.
The job fails, always.
Traduis : ne jamais dire jamais.
Переведи: никогда не говори никогда.
Переклади: ніколи не кажи ніколи.
翻译：永远不要放弃。
「常に上書き」ボタンを追加してください。
El manual dice que nunca se apague.
In der Doku steht, man solle nie root sein.
";
