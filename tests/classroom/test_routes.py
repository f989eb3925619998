"""The room routes: who may ask for what, and what everybody is answered."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
from phones import API, Answer, Browser, ask, head, play
from services import RoomServer

from fusionlab.classroom.codes import new_id, new_token
from fusionlab.classroom.http import SECURITY_HEADERS

Scene = Callable[[RoomServer], Awaitable[None]]


def played(scene: Scene) -> Callable[[RoomServer], None]:
    """Turn a scene of several browsers into a test."""

    def test(room_server: RoomServer) -> None:
        play(scene(room_server))

    test.__name__, test.__doc__ = scene.__name__, scene.__doc__
    return test


async def voting(server: RoomServer, students: int = 2) -> tuple[Browser, list[Browser]]:
    """A room that votes in its first round."""
    teacher = await server.opened("score")
    people = [Browser(server.port) for _ in range(students)]
    for one in people:
        await one.join(teacher.pin)
    await teacher.move("ask")
    return teacher, people


async def paired(teacher: Browser) -> str:
    """The code that the teacher's page shows for a phone."""
    path = f"{API}/{teacher.room}/pairing"
    code: str = (await ask(teacher.port, "POST", path, {}, token=teacher.token)).json["code"]
    return code


@played
async def test_two_rounds_and_a_reveal(server: RoomServer) -> None:
    teacher, people = await voting(server)
    for browser in (teacher, *people):
        browser.listen()
    for choice, one in enumerate(people):
        assert (await one.vote("1/1", choice)).status == 200
    await teacher.sees(lambda seen: seen["room"]["voted"] == 2, what="two votes")
    for move in ("close", "talk", "again"):
        assert (await teacher.move(move)).status == 200
    await people[0].sees(lambda seen: seen["room"]["poll"]["round"] == 2, what="round two")
    await people[0].vote("1/2", 1)
    for move in ("close", "reveal"):
        await teacher.move(move)
    poll = await people[1].sees(
        lambda seen: seen["room"]["poll"] if "truth" in seen["room"]["poll"] else None
    )
    assert poll["counts"] == [[1, 1, 0, 0], [0, 1, 0, 0]]
    assert poll["truth"]["answer"] == 1
    for browser in (teacher, *people):
        await browser.leave()


@played
async def test_everybody_who_follows_sees_the_step(server: RoomServer) -> None:
    teacher, people = await voting(server)
    people[0].listen()
    await people[0].sees(lambda seen: seen["place"])
    await teacher.step(17, showing=3)
    await people[0].sees(lambda seen: seen["place"]["step"] == 17 and seen["place"]["showing"] == 3)
    await people[0].leave()


@played
async def test_whoever_comes_late_sees_what_is_going_on(server: RoomServer) -> None:
    teacher, _ = await voting(server)
    await teacher.step(5)
    late = Browser(server.port)
    await late.join(teacher.key)
    late.listen()
    await late.sees(lambda seen: seen["room"]["poll"] and seen["place"]["step"] == 5)
    await late.leave()


@played
async def test_a_page_that_is_loaded_again_finds_its_vote(server: RoomServer) -> None:
    _, people = await voting(server)
    await people[0].vote("1/1", 3)
    again = Browser(server.port, token=people[0].token, room=people[0].room)
    again.listen()
    await again.sees(lambda seen: seen["own"]["votes"] == {"1/1": 3})
    await again.leave()


@played
async def test_joining_again_is_the_same_student(server: RoomServer) -> None:
    teacher, people = await voting(server)
    before = people[0].number
    await people[0].join(teacher.pin.lower()[:3] + " " + teacher.pin[3:])
    assert people[0].number == before


@played
async def test_a_vote_after_the_close_is_refused(server: RoomServer) -> None:
    teacher, people = await voting(server)
    await teacher.move("close")
    given = await people[0].vote("1/1", 0)
    assert (given.status, given.json["code"]) == (409, "round_closed")


@played
async def test_a_choice_that_is_not_offered_is_refused(server: RoomServer) -> None:
    _, people = await voting(server)
    assert (await people[0].vote("1/1", 4)).json["code"] == "choice_unknown"


@played
async def test_a_student_cannot_do_what_a_teacher_does(server: RoomServer) -> None:
    teacher, people = await voting(server)
    student, room = people[0], f"{API}/{teacher.room}"
    wishes: list[tuple[str, str, object]] = [
        ("POST", "moves", {"move": "reveal"}),
        ("POST", "step", {"showing": 0, "step": 1}),
        ("POST", "pairing", {}),
        ("POST", "qr", {"text": "x"}),
        ("GET", "results", None),
        ("DELETE", f"people/{new_id()}", None),
    ]
    asked = [
        await ask(server.port, method, f"{room}/{path}", data, token=student.token)
        for method, path, data in wishes
    ]
    assert {(one.status, one.json["code"]) for one in asked} == {(403, "not_allowed")}


@played
async def test_a_teacher_cannot_vote(server: RoomServer) -> None:
    teacher, _ = await voting(server)
    assert (await teacher.vote("1/1", 0)).status == 403


@played
async def test_a_room_that_is_not_there_answers_like_one_that_is_not_yours(
    server: RoomServer,
) -> None:
    teacher, _ = await voting(server)
    answers = [
        await ask(server.port, "GET", f"{API}/{room}/state", token=new_token())
        for room in (teacher.room, new_id(), "x", "%00", "open")
    ]
    assert len({(one.status, one.text) for one in answers}) == 1


@played
async def test_another_rooms_teacher_is_a_stranger(server: RoomServer) -> None:
    teacher, _ = await voting(server)
    other, _ = await voting(server)
    path = f"{API}/{teacher.room}/state"
    assert (await ask(server.port, "GET", path, token=other.token)).status == 403


@played
async def test_whoever_is_sent_out_hears_it_and_stays_out(server: RoomServer) -> None:
    teacher, people = await voting(server)
    teacher.listen()
    people[0].listen()
    who = (await teacher.sees(lambda seen: seen["room"]["people"]))[0]["id"]
    await people[0].sees(lambda seen: seen["own"])
    path = f"{API}/{teacher.room}/people/{who}"
    assert (await ask(server.port, "DELETE", path, token=teacher.token)).status == 200
    await people[0].sees(lambda seen: seen["gone"] == {"why": "kicked"})
    assert (await people[0].vote("1/1", 0)).json["code"] == "kicked"
    assert (await people[0].get("events")).json["code"] == "kicked"
    data = {"token": people[0].token, "code": teacher.pin}
    assert (await ask(server.port, "POST", f"{API}/join", data)).json["code"] == "kicked"
    await teacher.sees(lambda seen: seen["room"]["joined"] == 1)
    await teacher.leave()
    await people[0].leave()


@played
async def test_a_locked_room_lets_nobody_new_in(server: RoomServer) -> None:
    teacher, people = await voting(server)
    await teacher.move("lock")
    data = {"token": new_token(), "code": teacher.key}
    assert (await ask(server.port, "POST", f"{API}/join", data)).json["code"] == "room_locked"
    again = {"token": people[0].token, "code": teacher.pin}
    assert (await ask(server.port, "POST", f"{API}/join", again)).status == 201


@played
async def test_an_ended_room_can_only_be_read(server: RoomServer) -> None:
    teacher, people = await voting(server)
    await people[0].vote("1/1", 1)
    await teacher.move("close")
    await teacher.move("end")
    data = {"token": new_token(), "code": teacher.pin}
    assert (await ask(server.port, "POST", f"{API}/join", data)).json["code"] == "code_unknown"
    assert (await teacher.move("lock")).json["code"] == "room_ended"
    assert json.loads((await teacher.get("results?as=json")).text)["questions"][0]["rounds"] == [
        [0, 1, 0, 0]
    ]


@played
async def test_a_phone_becomes_a_remote_once(server: RoomServer) -> None:
    teacher, _ = await voting(server)
    data = {"code": await paired(teacher), "token": new_token()}
    path = f"{API}/{teacher.room}/remote"
    assert (await ask(server.port, "POST", path, data)).status == 201
    phone = Browser(server.port, token=data["token"], room=teacher.room)
    assert (await phone.move("close")).status == 200
    thief = data | {"token": new_token()}
    assert (await ask(server.port, "POST", path, thief)).json["code"] == "not_allowed"


@played
async def test_a_pairing_code_opens_nothing_by_itself(server: RoomServer) -> None:
    teacher, _ = await voting(server)
    path = f"{API}/{teacher.room}/state"
    assert (await ask(server.port, "GET", path, token=await paired(teacher))).status == 403


@played
async def test_a_button_pressed_twice_acts_once(server: RoomServer) -> None:
    teacher = await server.opened("a", "b")
    seq = (await teacher.get("state")).json["room"]["seq"]
    answers = [await teacher.move("ask", seq=seq), await teacher.move("ask", seq=seq)]
    assert [one.status for one in answers] == [200, 409]
    assert answers[1].json["code"] == "stale"


@played
async def test_a_projector_learns_no_names(server: RoomServer) -> None:
    teacher = await server.opened("score")
    student = Browser(server.port)
    await student.join(teacher.pin, "Ada Lovelace")
    screen = Browser(server.port, token=teacher.token, room=teacher.room)
    screen.listen("screen")
    await screen.sees(lambda seen: seen["room"]["joined"] == 1)
    assert "Ada" not in json.dumps(screen.seen)
    await screen.leave()


@played
async def test_no_student_learns_a_name_or_the_number_of_votes(server: RoomServer) -> None:
    teacher = await server.opened("score")
    named, other = Browser(server.port), Browser(server.port)
    await named.join(teacher.pin, "Ada Lovelace")
    await other.join(teacher.pin, "")
    await teacher.move("ask")
    await named.vote("1/1", 1)
    state = (await other.get("state")).text
    assert "Ada" not in state
    assert not {"voted", "people", "joined", "key"} & set(json.loads(state)["room"])


@played
async def test_a_students_page_never_holds_the_truth_before_the_reveal(server: RoomServer) -> None:
    """Whatever a student is sent until then, no rule and no reason is in it."""
    teacher, people = await voting(server)
    people[0].listen()
    for name in ("close", "talk", "again", "close"):
        await teacher.move(name)
        await people[0].vote("1/1", 0)
    await people[0].sees(lambda seen: seen["room"]["poll"]["counts"] is not None)
    told = json.dumps([people[0].heard, (await people[0].get("state")).json])
    for secret in ("six accesses", "launches forgotten", "writes not counted", '"answer"', "truth"):
        assert secret not in told
    await teacher.move("reveal")
    truth = await people[0].sees(lambda seen: seen["room"]["poll"]["truth"])
    assert "six accesses" in truth["because"]["en"]
    await people[0].leave()


@played
async def test_the_first_result_is_nobodys_business_while_the_round_is_open(
    server: RoomServer,
) -> None:
    teacher, people = await voting(server)
    await people[0].vote("1/1", 2)
    room = (await teacher.get("state")).json["room"]
    assert (room["voted"], room["closed"], room["poll"]["counts"]) == (1, None, None)


@played
async def test_only_the_teacher_sees_a_closed_round_until_it_is_shown(server: RoomServer) -> None:
    teacher, people = await voting(server)
    await people[0].vote("1/1", 2)
    await teacher.move("close")
    assert (await people[0].get("state")).json["room"]["poll"]["counts"] is None
    closed = (await teacher.get("state")).json["room"]["closed"]
    assert (closed["counts"], closed["right"], closed["of"]) == ([[0, 0, 1, 0]], [0], [1])
    assert closed["common"]["rule"]["en"] == "one launch too many"
    await teacher.move("show_result")
    assert (await people[0].get("state")).json["room"]["poll"]["counts"] == [[0, 0, 1, 0]]


@played
async def test_every_answer_carries_the_security_headers(server: RoomServer) -> None:
    teacher, _ = await voting(server)
    answers: list[Answer] = [
        await teacher.get("state"),
        await teacher.get("nothing"),
        await ask(server.port, "PUT", f"{API}/open"),
        await ask(server.port, "GET", f"{API}/{new_id()}/state"),
        await ask(server.port, "GET", "/healthz"),
        await ask(server.port, "GET", "/metrics"),
    ]
    assert [one.status for one in answers] == [200, 404, 405, 403, 200, 200]
    for one in answers:
        assert SECURITY_HEADERS.items() <= one.headers.items()
        assert "access-control-allow-origin" not in one.headers
        assert "set-cookie" not in one.headers


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "x",
        {"token": 1},
        {"token": "x"},
        {"token": new_token() + "é"},
        {"token": "\ud800"},
    ],
    ids="nothing list text number short foreign half_a_character".split(),
)
def test_a_room_is_opened_only_with_a_secret(room_server: RoomServer, data: object) -> None:
    given = play(ask(room_server.port, "POST", f"{API}/open", data))
    assert given.status == 400


@played
async def test_a_body_has_a_largest_size(server: RoomServer) -> None:
    given = await ask(server.port, "POST", f"{API}/open", {"token": "x" * 40_000})
    assert (given.status, given.json["code"]) == (413, "body_too_large")


@played
async def test_a_link_becomes_a_qr_code(server: RoomServer) -> None:
    teacher, _ = await voting(server)
    data = {"text": f"http://127.0.0.1:8501/classroom?room={teacher.key}"}
    given = await ask(server.port, "POST", f"{API}/{teacher.room}/qr", data, token=teacher.token)
    assert given.json["size"] >= 29
    assert set(given.json["path"]) <= set("M h-v z0123456789")


@played
async def test_the_health_route_asks_the_store(server: RoomServer) -> None:
    assert (await ask(server.port, "GET", "/healthz")).json == {"status": "ok"}


@played
async def test_who_only_asks_for_the_head_of_a_stream_is_answered_at_once(
    server: RoomServer,
) -> None:
    teacher, _ = await voting(server)
    path = f"{API}/{teacher.room}/events"
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(head("HEAD", path, teacher.token, 0))
    async with asyncio.timeout(5):
        answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200")
